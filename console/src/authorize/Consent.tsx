import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { isNameTaken, messagesByField, otherMessages } from '../api/errors.ts';
import { inDays } from '../profile/words.ts';
import { ScopeFields } from '../token-scope/ScopeFields.tsx';
import { type Access, NO_SCOPE, SCOPE_FIELDS, scopeOf } from '../token-scope/words.ts';
import { FormErrors } from '../ui/Failure.tsx';
import { Form } from '../ui/Form.tsx';
import { Page } from '../ui/Page.tsx';
import s from './authorize.module.css';
import { type Asked, decide, type Preview } from './queries.ts';
import { consequences, freeName, originWords } from './words.ts';

const HOUR = 1 / 24;
const days = (...numbers: number[]) => numbers.map(one => ({ value: String(one), label: `In ${one} days` }));
const KINDS = {
  personal: {
    expires: days(7, 30, 90, 365),
    expiry: '30',
    access: [
      { value: 'all', label: 'Everything you may do' },
      { value: 'some', label: 'Part of what you may do' },
      { value: 'read', label: 'Read only' },
    ],
    first: 'all',
  },
  agent: {
    expires: [
      { value: String(8 * HOUR), label: 'In 8 hours' },
      { value: '1', label: 'In 1 day' },
      ...days(7, 30),
    ],
    expiry: String(8 * HOUR),
    access: [
      { value: 'read', label: 'Read only' },
      { value: 'agent', label: 'Read, and change flags within limits' },
    ],
    first: 'read',
  },
} as const;

/** Shows who asks, lets the user limit what the program may do, and sends the decision. */
export function Consent({
  asked,
  preview,
  taken,
}: {
  asked: Asked;
  preview: Preview;
  /** The names of the user's tokens. */
  taken: readonly string[];
}) {
  const { clientName, kind, problem, redirectHost } = preview;
  const choices = KINDS[kind];
  const [description, setDescription] = useState(() => freeName(preview, taken));
  const [expires, setExpires] = useState<string>(choices.expiry);
  const [scope, setScope] = useState({
    ...NO_SCOPE,
    access: choices.first as Access,
    maxChanges: kind === 'agent' ? '20' : '',
  });
  const change = (changed: Partial<typeof scope>) => setScope(before => ({ ...before, ...changed }));
  const decision = useMutation({
    mutationFn: (allow: boolean) => {
      const limits = scopeOf(scope);
      const token = {
        description: description.trim(),
        expiresAt: inDays(Number(expires)),
        ...(limits && { scope: limits }),
      };
      return decide({ ...asked, allow, ...(allow && { token }) });
    },
    onSuccess: ({ redirectTo }) => {
      if (redirectTo !== null) location.assign(redirectTo);
    },
  });
  const errors = messagesByField(decision.error);
  if (decision.data)
    return <Done allowed={decision.variables === true} returns={decision.data.redirectTo !== null} />;
  if (problem)
    return (
      <Page title="Connect a program">
        <div className={s.body}>
          <div role="alert">
            <p>
              The request of “{clientName}” is invalid: {problem.message}
            </p>
          </div>
          <FormErrors messages={otherMessages(decision.error, [])} />
          <div>
            <Button loading={decision.isPending} onClick={() => decision.mutate(false)}>
              Return to {redirectHost}
            </Button>
          </div>
        </div>
      </Page>
    );
  const shown = ['token.description', 'token.expiresAt', 'expiresAt', ...SCOPE_FIELDS];
  return (
    <Page title={`Connect “${clientName}”`}>
      <div className={s.body}>
        <p className={s.origin}>{originWords(preview)}</p>
        <Form
          onSubmit={() => decision.mutate(true)}
          actions={
            <>
              <Button disabled={decision.isPending} onClick={() => decision.mutate(false)}>
                Deny
              </Button>
              <Button type="submit" variant="filled" loading={decision.isPending}>
                Allow
              </Button>
            </>
          }
        >
          <FormErrors messages={isNameTaken(decision.error) ? [] : otherMessages(decision.error, shown)} />
          <TextInput
            label="Name"
            description="Your profile and the events show it."
            required
            maxLength={255}
            value={description}
            error={isNameTaken(decision.error) ? decision.error.message : errors['token.description']}
            onChange={event => setDescription(event.target.value)}
          />
          <NativeSelect
            label="Ends"
            value={expires}
            data={[...choices.expires]}
            error={errors.expiresAt ?? errors['token.expiresAt']}
            onChange={event => setExpires(event.target.value)}
          />
          <NativeSelect
            label="Access"
            value={scope.access}
            data={[...choices.access]}
            error={errors.scope}
            onChange={event => change({ access: event.target.value as Access })} // The values are those of `access`.
          />
          {scope.access !== 'all' && (
            <ScopeFields draft={scope} messages={errors} change={change} isAgent={kind === 'agent'} />
          )}
          <p role="status">{consequences(scope)}</p>
          <p className="muted">You can end this at any time: delete the token in your profile.</p>
        </Form>
      </div>
    </Page>
  );
}

function Done({ allowed, returns }: { allowed: boolean; returns: boolean }) {
  const next = returns ? 'You are being sent back to the program.' : 'Return to the terminal.';
  return (
    <Page title={allowed ? 'Connected' : 'Denied'}>
      <div className={s.body}>
        <p role="status">
          {allowed ? 'The program has access now.' : 'The program gets no access.'} {next} You can close this
          page.
        </p>
      </div>
    </Page>
  );
}
