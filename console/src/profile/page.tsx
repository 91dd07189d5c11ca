import '@mantine/core/styles/PasswordInput.layer.css';
import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { messagesByField, otherMessages } from '../api/errors.ts';
import { useMe } from '../api/me.ts';
import { NewPassword } from '../login/NewPassword.tsx';
import { profileQuery } from '../shell/queries.ts';
import { Failure, FormErrors } from '../ui/Failure.tsx';
import { Page } from '../ui/Page.tsx';
import { State } from '../ui/State.tsx';
import { areLettersEnabled, setLettersEnabled } from '../ui/shortcuts.ts';
import { Time } from '../ui/Time.tsx';
import { Toggle } from '../ui/Toggle.tsx';
import { toast, toastError } from '../ui/toasts.ts';
import s from './profile.module.css';
import { changePassword, endSession, sessionsQuery } from './queries.ts';

export function ProfilePage() {
  const { user } = useMe();
  const { data: profile } = useQuery(profileQuery);
  return (
    <Page title="Profile" note={[user.name, user.email, profile?.rootRole?.name].filter(Boolean).join(' · ')}>
      <div className={s.body}>
        <Preferences />
        <Sessions />
        <Password />
      </div>
    </Page>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={s.section} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Preferences() {
  const [letters, setLetters] = useState(areLettersEnabled);
  const change = (enabled: boolean) => {
    setLettersEnabled(enabled);
    setLetters(enabled);
  };
  return (
    <Section title="Preferences">
      <div className={s.row}>
        <span>
          Single-letter shortcuts
          <small>
            Disable them if your assistive software types letters. This browser keeps the setting.
          </small>
        </span>
        <Toggle checked={letters} label="Single-letter shortcuts" onChange={change} large />
      </div>
    </Section>
  );
}

function Sessions() {
  const sessions = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: endSession,
    onError: toastError,
  });
  return (
    <Section title="Sessions">
      {sessions.error && <Failure error={sessions.error} onRetry={() => void sessions.refetch()} />}
      {sessions.data?.map(({ id, userAgent, ip, seenAt, current }) => (
        <div key={id} className={s.row}>
          <span>
            {browserOf(userAgent)}
            <small>
              {ip} · seen <Time at={seenAt} />
            </small>
          </span>
          {current ? (
            <State tone="on">This session</State>
          ) : (
            <Button onClick={() => end.mutate(id)}>End</Button>
          )}
        </div>
      ))}
    </Section>
  );
}

/** The name and version in a User-Agent header, the last product that people know. */
const browserOf = (userAgent: string | null): string =>
  userAgent
    ?.match(/(Firefox|Edg|Chrome|Safari)\/\d+/)?.[0]
    .replace('/', ' ')
    .replace('Edg', 'Edge') ??
  userAgent ??
  'Unknown browser';

function Password() {
  const save = useMutation({
    mutationFn: (form: FormData) =>
      changePassword({
        oldPassword: String(form.get('oldPassword')),
        password: String(form.get('password')),
      }),
    onSuccess: () => toast({ message: 'Password changed.' }),
  });
  const errors = messagesByField(save.error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    save.mutate(new FormData(form), { onSuccess: () => form.reset() });
  };
  return (
    <Section title="Password">
      <form className={s.form} onSubmit={submit}>
        <PasswordInput
          name="oldPassword"
          label="Current password"
          autoComplete="current-password"
          size="sm"
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the current password' }}
          required
          withAsterisk={false}
          error={errors.oldPassword}
        />
        <NewPassword error={errors.password} />
        <FormErrors messages={otherMessages(save.error, ['oldPassword', 'password'])} />
        <Button type="submit" variant="filled" loading={save.isPending}>
          Change the password
        </Button>
      </form>
    </Section>
  );
}
