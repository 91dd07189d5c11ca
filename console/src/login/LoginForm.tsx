import '@mantine/core/styles/PasswordInput.layer.css';
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import type { FormEvent } from 'react';
import { RequestError } from '../api/errors.ts';
import { Failure } from '../ui/Failure.tsx';
import { formatCount } from '../ui/words.ts';
import s from './login.module.css';
import { logIn, methodsQuery } from './queries.ts';
import { useSecondsLeft } from './useSecondsLeft.ts';

/** Shows the login methods that the server offers. */
export function LoginForm({
  returnTo,
  inNewWindow = false,
  username = '',
  onLoggedIn,
}: {
  /** The path to open after single sign-on. */
  returnTo: string;
  /** Whether single sign-on opens in a new window, so that this page keeps its input. */
  inNewWindow?: boolean;
  /** The username of a user who logs in again, if known. */
  username?: string;
  onLoggedIn(): void;
}) {
  const methodsResult = useQuery(methodsQuery);
  if (methodsResult.error)
    return <Failure error={methodsResult.error} onRetry={() => void methodsResult.refetch()} />;
  const methodList = methodsResult.data?.methods ?? [];
  return (
    <>
      {methodList.map(({ type, path }) =>
        type === 'oidc' ? (
          <Button
            key={type}
            component="a"
            href={`${path}?redirect=${encodeURIComponent(returnTo)}`}
            target={inNewWindow ? '_blank' : undefined}
            size="sm"
            variant={methodList.length === 1 ? 'filled' : 'default'}
            leftSection={<KeyRound size={15} />}
          >
            Log in with single sign-on{inNewWindow && ' in a new window'}
          </Button>
        ) : (
          <PasswordForm key={type} username={username} onLoggedIn={onLoggedIn} />
        ),
      )}
    </>
  );
}

function PasswordForm({ username, onLoggedIn }: { username: string; onLoggedIn(): void }) {
  const isUserKnown = username !== '';
  const login = useMutation({
    mutationFn: (form: FormData) => logIn(String(form.get('username')), String(form.get('password'))),
    onSuccess: onLoggedIn,
  });
  const retryAfter = (login.error instanceof RequestError && login.error.retryAfter) || 0;
  const seconds = useSecondsLeft(retryAfter, login.error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    login.mutate(new FormData(event.currentTarget));
  };
  return (
    <form className={s.form} onSubmit={submit}>
      <TextInput
        name="username"
        label="Username or email address"
        autoComplete="username"
        defaultValue={username}
        size="sm"
        required
        withAsterisk={false}
        data-autofocus={!isUserKnown || undefined}
      />
      <PasswordInput
        name="password"
        label="Password"
        autoComplete="current-password"
        data-autofocus={isUserKnown || undefined}
        // The form may render after the dialog has chosen the field to focus.
        autoFocus={isUserKnown}
        size="sm"
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
        required
        withAsterisk={false}
      />
      {login.error && (
        <p className={s.error} role="alert">
          {describeError(login.error, seconds)}
        </p>
      )}
      <Button type="submit" size="sm" variant="filled" loading={login.isPending}>
        Log in
      </Button>
    </form>
  );
}

/** Describes a login error. The remaining seconds replace the wait in the message, because it would become outdated. */
function describeError(error: Error, seconds: number): string {
  if (error instanceof RequestError && error.status === 401) return 'The username or password is wrong.';
  if (!(error instanceof RequestError) || error.retryAfter === undefined) return error.message;
  const reason = error.message.replace(/ Retry in [^.]*\./, '');
  return seconds > 0
    ? `${reason} Try again in ${formatCount(seconds, 'second')}.`
    : `${reason} Try again now.`;
}
