import { counted } from '../ui/words.ts';
import { errorIdOf, FAILED, secondsOf } from './failed.ts';
import s from './login.module.css';
import { useSecondsLeft } from './useSecondsLeft.ts';

/** Why single sign-on failed, and what to do. The server redirects to `/login?failed=…`. */
export function Failed({ reason, id, seconds }: { reason: unknown; id: unknown; seconds: unknown }) {
  const left = useSecondsLeft(secondsOf(seconds));
  const sentence = typeof reason === 'string' && Object.hasOwn(FAILED, reason) ? FAILED[reason] : undefined;
  const errorId = errorIdOf(id);
  if (sentence === undefined) return null;
  return (
    <p className={s.error} role="alert">
      {sentence} {reason === 'throttled' && waitWords(left)}
      {errorId && (
        <>
          {' '}
          Error <span className="mono">{errorId}</span>
        </>
      )}
    </p>
  );
}

const waitWords = (left: number): string =>
  left > 0 ? `Try again in ${counted(left, 'second')}.` : 'Try again now.';
