import { useEffect, useState } from 'react';

const SECOND_MS = 1_000;
const secondsTo = (at: number) => Math.max(1, Math.ceil((at - Date.now()) / SECOND_MS));

/** That too much was asked of the server, and when what is waited for goes on by itself. */
export function TooMany({ goesOnAt }: { goesOnAt: number }) {
  const [seconds, setSeconds] = useState(() => secondsTo(goesOnAt));
  useEffect(() => {
    setSeconds(secondsTo(goesOnAt));
    const timer = setInterval(() => setSeconds(secondsTo(goesOnAt)), SECOND_MS);
    return () => clearInterval(timer);
  }, [goesOnAt]);
  return (
    <p className="quiet" role="status">
      Too many requests; goes on in{' '}
      <span role="timer">
        {seconds.toLocaleString('en')} {seconds === 1 ? 'second' : 'seconds'}
      </span>
    </p>
  );
}
