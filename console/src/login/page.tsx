import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { Mark } from '../shell/Mark.tsx';
import s from './login.module.css';
import { logIn } from './queries.ts';

/** Only a path of this server: another address could imitate this page. */
const pathOf = (to: unknown): string => (typeof to === 'string' && /^\/(?![/\\])/.test(to) ? to : '/');

export function LoginPage() {
  const { to } = useSearch({ strict: false });
  const login = useMutation({
    mutationFn: (form: FormData) => logIn(String(form.get('username')), String(form.get('password'))),
    onSuccess: () => location.assign(pathOf(to)),
  });
  return (
    <main className={s.page}>
      <form
        className={s.card}
        onSubmit={event => {
          event.preventDefault();
          login.mutate(new FormData(event.currentTarget));
        }}
      >
        <Mark className={s.mark} />
        <h1>Log in to Halyard</h1>
        <TextInput name="username" label="Username or e-mail address" autoComplete="username" required />
        <PasswordInput name="password" label="Password" autoComplete="current-password" required />
        {login.error && (
          <p className={s.error} role="alert">
            {login.error.message}
          </p>
        )}
        <Button type="submit" variant="filled" loading={login.isPending}>
          Log in
        </Button>
      </form>
    </main>
  );
}
