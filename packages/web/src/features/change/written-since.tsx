import type { RecordItem, ShapeItem } from '@cairn/sdk';
import { Author } from '../../ui/author.tsx';
import { Moment } from '../../ui/moment.tsx';
import { LongText } from '../../ui/text.tsx';

export interface WrittenSinceProps {
  readonly head: Pick<RecordItem | ShapeItem, 'version' | 'createdBy' | 'versionCreatedAt' | 'active'>;
  /** The version that was begun with; 0 where there was none. */
  readonly version: number;
  /** The commit that wrote that version, where it is to be taken back. */
  readonly commit?: number | undefined;
}

/** In a sentence: who was faster, and how. */
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

/** The reason that was given, as it was written. */
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
