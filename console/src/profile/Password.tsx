import '@mantine/core/styles/PasswordInput.layer.css';
import { Button, PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { NewPassword } from '../login/NewPassword.tsx';
import { FormErrors } from '../ui/Failure.tsx';
import { toast } from '../ui/toasts.ts';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import s from './profile.module.css';
import { changePassword } from './queries.ts';
import { Row, Section } from './Section.tsx';

/** Changes the password. A user who only logs in with single sign-on has none. */
export function Password({ canChange }: { canChange: boolean }) {
  return (
    <Section title="Password">
      {canChange ? (
        <ChangePassword />
      ) : (
        <Row
          title={
            <span className="muted">You log in with single sign-on. Halyard stores no password for you.</span>
          }
        />
      )}
    </Section>
  );
}

function ChangePassword() {
  const [isChanged, setChanged] = useState(false);
  const save = useMutation({
    mutationFn: (form: FormData) =>
      changePassword({
        oldPassword: String(form.get('oldPassword')),
        password: String(form.get('password')),
      }),
    onSuccess: () => toast({ message: 'Password changed. Your other sessions have ended.' }),
  });
  const errors = messagesByField(save.error);
  const { confirmation } = useUnsaved(isChanged, () => {});
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    save.mutate(new FormData(form), {
      onSuccess: () => {
        form.reset();
        setChanged(false);
      },
    });
  };
  return (
    <form
      className={s.form}
      onSubmit={submit}
      onInput={({ currentTarget }) => setChanged([...new FormData(currentTarget).values()].some(Boolean))}
    >
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
      <FormErrors messages={messagesWithoutField(save.error, ['oldPassword', 'password'])} />
      <div>
        <Button type="submit" variant="filled" loading={save.isPending}>
          Change the password
        </Button>
      </div>
      {confirmation}
    </form>
  );
}
