import { useSearch } from '@tanstack/react-router';
import { Card } from './Card.tsx';
import { LoginForm } from './LoginForm.tsx';
import s from './login.module.css';

/** Only a path of this server: another address could imitate this page. */
const pathOf = (to: unknown): string => (typeof to === 'string' && /^\/(?![/\\])/.test(to) ? to : '/');

const NOTES: Record<string, string> = {
  password: 'Your password is set. Log in with it.',
  signup: 'Your account is ready. Log in with your password.',
};

export function LoginPage() {
  const { to, after } = useSearch({ strict: false });
  const returnTo = pathOf(to);
  const note = typeof after === 'string' ? NOTES[after] : undefined;
  return (
    <Card title="Log in to Halyard">
      {note && (
        <p className={s.note} role="status">
          {note}
        </p>
      )}
      {/* A full load: nothing of an earlier user remains in memory. */}
      <LoginForm returnTo={returnTo} onLoggedIn={() => location.assign(returnTo)} />
      <p className={s.hint}>Forgot the password? An admin can create a link to set a new one.</p>
    </Card>
  );
}
