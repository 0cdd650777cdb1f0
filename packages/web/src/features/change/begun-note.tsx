import { WrittenSince, type WrittenSinceProps } from './written-since.tsx';

interface HereAgainProps {
  readonly onAnew: () => void;
  /** Where somebody has written since, which offers to begin anew with that. */
  readonly isLate?: boolean;
}

/** Of a form that has something in it, though nobody has typed since it was opened. */
export function HereAgain({ onAnew, isLate = false }: HereAgainProps) {
  return (
    <div className="begun-note" role="status">
      <p>What you had filled in here, and not reviewed yet, is here again.</p>
      {!isLate && (
        <button type="button" className="small" onClick={onAnew}>
          Begin anew
        </button>
      )}
    </div>
  );
}

interface FasterProps extends Pick<WrittenSinceProps, 'head' | 'version'> {
  readonly onAnew?: () => void;
}

/** While a form is open: that somebody has written the same record. */
export function Faster({ head, version, onAnew }: FasterProps) {
  return (
    <div role="status">
      {head.version > version && (
        <div className="begun-note">
          <p>
            <WrittenSince head={head} version={version} />
            {onAnew !== undefined &&
              (version > 0
                ? ' Go on, and the draft shows both sides; or give up what you typed.'
                : ' Go on, and the draft shows what you would change of it; or give up what you typed.')}
          </p>
          {onAnew !== undefined && (
            <button type="button" className="small" onClick={onAnew}>
              Begin anew with version {head.version}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
