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
    <p>Your earlier input was restored. It is not in your draft yet.</p>
    {!isLate && <SmallButton onClick={onAnew}>Start over</SmallButton>}
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
              ? ' If you continue, the draft shows both versions. Or discard your input.'
              : ' If you continue, the draft shows how yours differs. Or discard your input.')}
        </p>
        {onAnew !== undefined && <SmallButton onClick={onAnew}>Start over from version {head.version}</SmallButton>}
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
        Meanwhile, <Author createdBy={head.createdBy} /> created it (<Moment at={head.versionCreatedAt} />
        ).
      </>
    );
  }
  return (
    <>
      {commit === undefined ? 'Meanwhile' : `Since commit ${commit}`}, <Author createdBy={head.createdBy} />{' '}
      {head.active ? 'changed' : 'retracted'} it (<Moment at={head.versionCreatedAt} />
      ). It is at version {head.version} now; {commit === undefined ? 'you started from' : 'the commit wrote'} {version}
      .
    </>
  );
}

export function WhyRetracted({ head: { active, reason = '' } }: { head: Pick<RecordItem, 'active' | 'reason'> }) {
  if (active) return null;
  if (reason === '') return <p className="quiet">It was retracted without a reason.</p>;
  return (
    <>
      <p>Reason for the retraction:</p>
      <LongText>{reason}</LongText>
    </>
  );
}
