import type { RecordItem } from '@cairn/sdk';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Fact } from './fact.tsx';

/** By what the record and its data are known: for programs more than for readers, so it comes last. */
export function RecordIdentity({ record: { durableId, dataHash, recordCreatedAt } }: { record: RecordItem }) {
  return (
    <section aria-labelledby="record-identity">
      <h2 id="record-identity">Identity</h2>
      <dl className="record-facts">
        <Fact name="There since">
          <Moment at={recordCreatedAt} />
        </Fact>
        <Fact
          name="Durable ID"
          hint="Names this record for good, also after it is renamed. It can be used wherever a name can."
        >
          <code>{durableId}</code> <CopyButton text={durableId} what="the durable ID" />
        </Fact>
        {dataHash !== undefined && (
          <Fact
            name="Data hash"
            hint="A fingerprint (SHA-256) of the data of this version: the same hash means the same data."
          >
            <code>{dataHash}</code> <CopyButton text={dataHash} what="the data hash" />
          </Fact>
        )}
      </dl>
    </section>
  );
}
