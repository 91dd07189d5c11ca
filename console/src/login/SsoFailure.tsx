import { formatCount } from '../ui/words.ts';
import s from './login.module.css';
import { parseErrorId, parseSeconds, SSO_FAILURES } from './sso-failures.ts';
import { useSecondsLeft } from './useSecondsLeft.ts';

/** Says why single sign-on failed and what to do. The server redirects to `/login?failed=…`. */
export function SsoFailure({ reason, id, seconds }: { reason: unknown; id: unknown; seconds: unknown }) {
  const secondsLeft = useSecondsLeft(parseSeconds(seconds));
  const message =
    typeof reason === 'string' && Object.hasOwn(SSO_FAILURES, reason) ? SSO_FAILURES[reason] : undefined;
  const errorId = parseErrorId(id);
  if (message === undefined) return null;
  return (
    <p className={s.error} role="alert">
      {message} {reason === 'throttled' && describeWait(secondsLeft)}
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
