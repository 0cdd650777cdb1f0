import { LongText, Text } from '../../ui/text.tsx';
import { StateMark } from './state-mark.tsx';

interface AnswerProps {
  readonly answer: {
    readonly outcome?: string | undefined;
    readonly httpStatus?: number | undefined;
    readonly errorCode?: string | undefined;
    readonly errorMessage?: string | undefined;
    readonly durationMs?: number | undefined;
    readonly responseSnippet?: string | undefined;
  };
}

/** What a receiver answered. Its text is a stranger's, and only shown. */
export function Answer({ answer }: AnswerProps) {
  const { outcome, httpStatus, errorCode, errorMessage, durationMs, responseSnippet = '' } = answer;
  return (
    <div className="answer">
      <p>
        <StateMark state={outcome ?? 'under way'} />
        {httpStatus !== undefined && <span>HTTP {httpStatus}</span>}
        {durationMs !== undefined && <span className="quiet">{Math.round(durationMs).toLocaleString('en')} ms</span>}
      </p>
      {errorCode !== undefined && (
        <p className="problem">
          <Text>{errorCode}</Text>: <Text most={2_000}>{errorMessage ?? ''}</Text>
        </p>
      )}
      {responseSnippet !== '' && (
        <figure>
          <figcaption className="quiet">The beginning of the answer</figcaption>
          <LongText>{responseSnippet}</LongText>
        </figure>
      )}
    </div>
  );
}
