import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { announceLogin } from './announce.ts';
import { Card } from './Card.tsx';
import { LoginForm } from './LoginForm.tsx';
import s from './login.module.css';
import { getPathAfterLogin } from './path.ts';
import { methodsQuery } from './queries.ts';
import { SsoFailure } from './SsoFailure.tsx';

const NOTES: Record<string, string> = {
  password: 'Your password is set. Log in with it.',
  signup: 'Your account is ready. Log in with your password.',
};

export function LoginPage() {
  const { to, after, failed, id, seconds } = useSearch({ strict: false });
  const returnTo = getPathAfterLogin(to);
  const passwordLoginEnabled = useQuery(methodsQuery).data?.methods.some(({ type }) => type === 'password');
  const note = typeof after === 'string' ? NOTES[after] : undefined;
  return (
    <Card title="Log in to Halyard">
      {note && (
        <p className={s.note} role="status">
          {note}
        </p>
      )}
      <SsoFailure reason={failed} id={id} seconds={seconds} />
      {/* Reloads the page, so that none of the previous user's data stays in memory. */}
      <LoginForm
        returnTo={returnTo}
        onLoggedIn={() => {
          announceLogin();
          location.assign(returnTo);
        }}
      />
      {passwordLoginEnabled && (
        <p className={s.hint}>Forgot your password? An admin can create a link to set a new one.</p>
      )}
    </Card>
  );
}
