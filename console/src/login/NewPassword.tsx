import '@mantine/core/styles/PasswordInput.layer.css';
import { PasswordInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { RequestError } from '../api/errors.ts';
import { checkPassword } from './queries.ts';

/** A field for a new password. The server checks its strength while the user types. */
export function NewPassword({ error }: { error?: string }) {
  const strengthCheck = useMutation({ mutationFn: checkPassword });
  const checkSoon = useDebouncedCallback((password: string) => strengthCheck.mutate(password), 400);
  const weakness = strengthCheck.error instanceof RequestError ? strengthCheck.error.message : undefined;
  return (
    <PasswordInput
      name="password"
      label="New password"
      description="12 to 128 characters. Easily guessed passwords are rejected."
      autoComplete="new-password"
      size="sm"
      minLength={12}
      maxLength={128}
      visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
      required
      withAsterisk={false}
      error={error ?? weakness}
      onChange={event => event.currentTarget.value.length >= 12 && checkSoon(event.currentTarget.value)}
    />
  );
}
