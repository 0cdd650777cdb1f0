import { type ComponentProps, type ReactNode, useState } from 'react';

type ButtonProps = ComponentProps<'button'>;

export const Button = (props: ButtonProps) => <button type="button" {...props} />;
export const SmallButton = (props: ButtonProps) => <button type="button" className="small" {...props} />;
export const SecondaryButton = (props: ButtonProps) => <button type="button" className="secondary" {...props} />;

interface ActButtonProps {
  readonly onAct: () => void;
  readonly isPending: boolean;
  readonly isSmall?: boolean;
  readonly label?: string;
  readonly children: ReactNode;
}

/** Keeps the focus while it is pending. */
export const ActButton = ({ onAct, isPending, isSmall = false, label, children }: ActButtonProps) => (
  <button
    type="button"
    className={isSmall ? 'small' : 'secondary'}
    aria-label={label}
    aria-disabled={isPending || undefined}
    onClick={() => {
      if (!isPending) onAct();
    }}
  >
    {children}
  </button>
);

export function CopyButton({ text, what }: { text: string; what: string }) {
  const [said, setSaid] = useState('Copy');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Copying failed: select the text'),
    );
  return (
    <SmallButton aria-label={`${said}: ${what}`} onClick={() => void copy()}>
      {said}
    </SmallButton>
  );
}
