import { formatCount } from '../ui/words.ts';
import { parseErrorId, parseSeconds, SSO_FAILURES } from './failed.ts';
import s from './login.module.css';
import { useSecondsLeft } from './useSecondsLeft.ts';

/** Says why single sign-on failed and what to do. The server redirects to `/login?failed=…`. */
export function SsoFailure({ reason, id, seconds }: { reason: unknown; id: unknown; seconds: unknown }) {
  const secondsLeft = useSecondsLeft(parseSeconds(seconds));
  const sentence =
    typeof reason === 'string' && Object.hasOwn(SSO_FAILURES, reason) ? SSO_FAILURES[reason] : undefined;
  const errorId = parseErrorId(id);
  if (sentence === undefined) return null;
  return (
    <p className={s.error} role="alert">
      {sentence} {reason === 'throttled' && describeWait(secondsLeft)}
      {errorId && (
        <>
          {' '}
          Error <span className="mono">{errorId}</span>
        </>
      )}
    </p>
  );
}

const describeWait = (secondsLeft: number): string =>
  secondsLeft > 0 ? `Try again in ${formatCount(secondsLeft, 'second')}.` : 'Try again now.';
