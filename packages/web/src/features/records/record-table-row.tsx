import type { Snippet } from '@cairn/sdk';
import { Fragment, memo } from 'react';
import { Moment } from '../../ui/byline.tsx';
import { fieldText } from '../../ui/path-text.ts';
import { Text } from '../../ui/text.tsx';
import { RecordLink } from '../record/record-link.tsx';
import { type Cell, nameInTable, piecesOf, type RecordRow } from './row.ts';

interface RecordTableRowProps {
  readonly index: number;
  readonly row: RecordRow | undefined;
  readonly width: number;
  readonly isOfAnyShape: boolean;
  readonly hasAbout: boolean;
  readonly hasWords: boolean;
  readonly retracted: ReadonlySet<string>;
  readonly isChanged: boolean;
}

const rowNumber = (index: number) => index + 2;

export const RecordTableRow = memo(function RecordTableRow(props: RecordTableRowProps) {
  const { index, row, width, isOfAnyShape, hasAbout, hasWords, retracted, isChanged } = props;
  if (row === undefined) {
    return (
      <tr aria-rowindex={rowNumber(index)} className="waiting">
        <td colSpan={width}>…</td>
      </tr>
    );
  }
  const { name, kind, shapeName, version, isActive, updatedAt, about, aboutTarget, cells, snippet } = row;
  const isRetracted = (target: string | undefined) => target !== undefined && retracted.has(target);
  const shown = isOfAnyShape && hasWords ? [] : cells;
  return (
    <tr aria-rowindex={rowNumber(index)} className={isChanged ? 'changed' : undefined}>
      <th scope="row" className="name">
        <RecordLink wref={name}>{nameInTable(row, isOfAnyShape)}</RecordLink>
        {!isActive && <span className="label">retracted</span>}
      </th>
      {hasWords && <td>{snippet !== undefined && <SnippetText snippet={snippet} />}</td>}
      {isOfAnyShape && <td>{shapeName !== undefined && <RecordLink wref={shapeName} />}</td>}
      <td>{kind}</td>
      {hasAbout && (
        <td>
          <About wref={about} isRetracted={isRetracted(aboutTarget)} />
        </td>
      )}
      {shown.map((cell, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place.
        <td key={column} className={cell.kind === 'number' ? 'number' : undefined}>
          <CellText cell={cell} isRetracted={isRetracted} />
        </td>
      ))}
      <td className="number">{version}</td>
      <td>
        <Moment at={updatedAt} />
      </td>
    </tr>
  );
});

function About({ wref, isRetracted }: { wref: string | null | undefined; isRetracted: boolean }) {
  if (wref === null) return <span className="quiet">hidden from you</span>;
  return wref === undefined ? null : <Reference wref={wref} isRetracted={isRetracted} />;
}

const WHOLE = 1_000;

interface CellTextProps {
  readonly cell: Cell;
  readonly isRetracted: (target: string | undefined) => boolean;
}

function CellText({ cell: { kind, text, references = [], isCut = false }, isRetracted }: CellTextProps) {
  if (kind === 'none') return null;
  if (kind === 'empty') return <span className="quiet">{text}</span>;
  if (kind !== 'wref') return <Text most={WHOLE}>{text}</Text>;
  return (
    <>
      {references.map(({ wref, target }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a list may have the same twice.
        <Fragment key={index}>
          {index > 0 && ', '}
          <Reference wref={wref} isRetracted={isRetracted(target)} />
        </Fragment>
      ))}
      {isCut && '…'}
    </>
  );
}

/** Struck through, since there may be no room for a label. */
function Reference({ wref, isRetracted }: { wref: string; isRetracted: boolean }) {
  if (!isRetracted) return <RecordLink wref={wref} />;
  return (
    <span className="retracted" title="retracted">
      <RecordLink wref={wref} />
      <span className="hidden">, retracted</span>
    </span>
  );
}

const SnippetText = ({ snippet }: { snippet: Snippet }) => (
  <>
    {snippet.path !== '' && (
      <span className="quiet">
        <Text>{fieldText(snippet.path)}</Text>{' '}
      </span>
    )}
    {piecesOf(snippet).map(({ text, isMatch, start }) =>
      isMatch ? (
        <mark key={start}>
          <Text>{text}</Text>
        </mark>
      ) : (
        <Text key={start}>{text}</Text>
      ),
    )}
  </>
);
