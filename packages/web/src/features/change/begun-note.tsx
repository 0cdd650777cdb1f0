import type { RecordItem, ShapeItem } from '@cairn/sdk';
import { SmallButton } from '../../ui/button.tsx';
import { Author, Moment } from '../../ui/byline.tsx';
import { LongText } from '../../ui/text.tsx';

interface HereAgainProps {
  readonly onAnew: () => void;
  readonly isLate?: boolean;
}

export const HereAgain = ({ onAnew, isLate = false }: HereAgainProps) => (
  <div className="begun-note" role="status">
    <p>What you had filled in here, and not reviewed yet, is here again.</p>
    {!isLate && <SmallButton onClick={onAnew}>Begin anew</SmallButton>}
  </div>
);

interface FasterProps extends Pick<WrittenSinceProps, 'head' | 'version'> {
  readonly onAnew?: () => void;
}

export const Faster = ({ head, version, onAnew }: FasterProps) => (
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
        {onAnew !== undefined && <SmallButton onClick={onAnew}>Begin anew with version {head.version}</SmallButton>}
      </div>
    )}
  </div>
);

interface WrittenSinceProps {
  readonly head: Pick<RecordItem | ShapeItem, 'version' | 'createdBy' | 'versionCreatedAt' | 'active'>;
  readonly version: number;
  readonly commit?: number | undefined;
}

export function WrittenSince({ head, version, commit }: WrittenSinceProps) {
  if (version === 0) {
    return (
      <>
        While you were at it, <Author createdBy={head.createdBy} /> wrote one (<Moment at={head.versionCreatedAt} />
        ).
      </>
    );
  }
  return (
    <>
      {commit === undefined ? 'While you were at it' : `Since commit ${commit}`}, <Author createdBy={head.createdBy} />{' '}
      {head.active ? 'changed' : 'retracted'} it (<Moment at={head.versionCreatedAt} />
      ): it is at version {head.version}, and {commit === undefined ? 'you began with' : 'the commit wrote'} {version}.
    </>
  );
}

export function WhyRetracted({ head: { active, reason = '' } }: { head: Pick<RecordItem, 'active' | 'reason'> }) {
  if (active) return null;
  if (reason === '') return <p className="quiet">No reason was given for retracting it.</p>;
  return (
    <>
      <p>It was retracted for this reason:</p>
      <LongText>{reason}</LongText>
    </>
  );
}
