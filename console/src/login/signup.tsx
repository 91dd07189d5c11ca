import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { FormErrors } from '../ui/Failure.tsx';
import { Card } from './Card.tsx';
import { ExpiredLink } from './ExpiredLink.tsx';
import s from './login.module.css';
import { NewPassword } from './NewPassword.tsx';
import { signUp, signupLinkQuery } from './queries.ts';

export function SignupPage() {
  const { token = '' } = useParams({ strict: false });
  return <Signup token={token} />;
}

const SHOWN_FIELDS = ['email', 'name', 'username', 'password'];

/** Creates an account with a signup link. */
export function Signup({ token }: { token: string }) {
  const link = useQuery(signupLinkQuery(token));
  const signup = useMutation({
    mutationFn: (form: FormData) => {
      const text = (name: string) => String(form.get(name) ?? '').trim();
      return signUp(token, {
        email: text('email'),
        name: text('name') || null,
        username: text('username') || null,
        password: String(form.get('password')),
      });
    },
    onSuccess: () => location.assign('/login?after=signup'),
  });
  const errors = messagesByField(signup.error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    signup.mutate(new FormData(event.currentTarget));
  };
  if (link.error) return <ExpiredLink error={link.error} onRetry={() => void link.refetch()} />;
  return (
    <Card title="Sign up for Halyard">
      <form className={s.form} onSubmit={submit}>
        <TextInput
          name="email"
          type="email"
          label="Email address"
          autoComplete="email"
          size="sm"
          required
          withAsterisk={false}
          error={errors.email}
        />
        <TextInput
          name="name"
          label="Name"
          autoComplete="name"
          size="sm"
          maxLength={255}
          error={errors.name}
        />
        <TextInput
          name="username"
          label="Username (optional)"
          autoComplete="username"
          size="sm"
          maxLength={100}
          error={errors.username}
        />
        <NewPassword error={errors.password} />
        <FormErrors messages={messagesWithoutField(signup.error, SHOWN_FIELDS)} />
        <Button type="submit" size="sm" variant="filled" loading={signup.isPending} disabled={!link.data}>
          Sign up
        </Button>
      </form>
    </Card>
  );
}
