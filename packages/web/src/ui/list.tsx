// Lists, facts, tables, and parts that fold.
import { type ReactNode, useState } from 'react';

interface ListProps<Item> {
  readonly items: readonly Item[];
  readonly className: 'cards' | 'entries' | 'operated';
  readonly label?: string;
  readonly keyOf: (item: Item, index: number) => string | number;
  readonly children: (item: Item) => ReactNode;
}

export const List = <Item,>({ items, className, label, keyOf, children }: ListProps<Item>) => (
  <ul className={className} aria-label={label}>
    {items.map((item, index) => (
      <li key={keyOf(item, index)}>{children(item)}</li>
    ))}
  </ul>
);

export const Fact = ({ name, hint, children }: { name: ReactNode; hint?: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
    {hint !== undefined && <dd className="hint">{hint}</dd>}
  </div>
);

interface FactsProps {
  /** By name. Missing facts are left out. */
  readonly facts: Readonly<Record<string, ReactNode>>;
  readonly className?: string;
}

export const Facts = ({ facts, className = 'facts' }: FactsProps) => (
  <dl className={className}>
    {Object.entries(facts).map(
      ([name, fact]) =>
        fact && (
          <Fact key={name} name={name}>
            {fact}
          </Fact>
        ),
    )}
  </dl>
);

interface TableProps {
  readonly heads: readonly string[];
  readonly className?: string;
  readonly children: ReactNode;
}

export const Table = ({ heads, className, children }: TableProps) => (
  <table className={className}>
    <thead>
      <tr>
        {heads.map((head) => (
          <th key={head} scope="col">
            {head}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);

export const ScrolledTable = ({ label, ...table }: TableProps & { readonly label: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
  <section className="scrolled" aria-label={label} tabIndex={0}>
    <Table {...table} />
  </section>
);

interface DisclosureProps {
  readonly summary: ReactNode;
  readonly className?: string;
  readonly isOpenAtFirst?: boolean;
  /** Renders the content, only while it is open. */
  readonly children: () => ReactNode;
}

export function Disclosure({ summary, className, isOpenAtFirst = false, children }: DisclosureProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details className={className} open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}
