import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { FormErrors } from '../ui/Failure.tsx';
import { Card } from './Card.tsx';
import { ExpiredLink } from './ExpiredLink.tsx';
import s from './login.module.css';
import { NewPassword } from './NewPassword.tsx';
import { passwordLinkQuery, setPassword } from './queries.ts';
import { Signup } from './signup.tsx';

/** Opens a new user's link or, with `invite=true`, a signup link. */
export function NewUserPage() {
  const { token, invite } = useSearch({ strict: false });
  return invite === 'true' ? (
    <Signup token={String(token ?? '')} />
  ) : (
    <SetPassword token={String(token ?? '')} title="Welcome to Halyard" />
  );
}

export function ResetPasswordPage() {
  const { token } = useSearch({ strict: false });
  return <SetPassword token={String(token ?? '')} title="Set a new password" />;
}

function SetPassword({ token, title }: { token: string; title: string }) {
  const link = useQuery(passwordLinkQuery(token));
  const save = useMutation({
    mutationFn: (form: FormData) => setPassword(token, String(form.get('password'))),
    onSuccess: () => location.assign('/login?after=password'),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    save.mutate(new FormData(event.currentTarget));
  };
  if (link.error) return <ExpiredLink error={link.error} onRetry={() => void link.refetch()} />;
  const user = link.data;
  return (
    <Card title={title}>
      <form className={s.form} onSubmit={submit}>
        <p className={s.hint}>
          {user && (
            <>
              Choose a password for <b>{user.name ?? user.username ?? user.email}</b>.
            </>
          )}
        </p>
        <input
          type="hidden"
          name="username"
          autoComplete="username"
          value={user?.username ?? user?.email ?? ''}
          readOnly
        />
        <NewPassword error={messagesByField(save.error).password} />
        <FormErrors messages={messagesWithoutField(save.error, ['password'])} />
        <Button type="submit" size="sm" variant="filled" loading={save.isPending} disabled={!user}>
          Set the password
        </Button>
      </form>
    </Card>
  );
}
