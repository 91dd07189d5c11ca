import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { isNameTaken, messagesByField, messagesWithoutField } from '../api/errors.ts';
import { daysFromNow } from '../token-scope/expiry.ts';
import { ScopeFields } from '../token-scope/ScopeFields.tsx';
import { type Access, NO_SCOPE, SCOPE_FIELDS, toScope } from '../token-scope/words.ts';
import { FormErrors } from '../ui/Failure.tsx';
import { Form } from '../ui/Form.tsx';
import { Page } from '../ui/Page.tsx';
import s from './authorize.module.css';
import { decide, type Preview, type RequestedAuthorization } from './queries.ts';
import { describeConsequences, describeOrigin, proposeName } from './words.ts';

const DAYS_PER_HOUR = 1 / 24;
const buildDayOptions = (...days: number[]) =>
  days.map(count => ({ value: String(count), label: `In ${count} days` }));
const OPTIONS_BY_KIND = {
  personal: {
    expiryOptions: buildDayOptions(7, 30, 90, 365),
    defaultExpiry: '30',
    accessOptions: [
      { value: 'all', label: 'Everything you can do' },
      { value: 'some', label: 'Part of what you can do' },
      { value: 'read', label: 'Read only' },
    ],
    defaultAccess: 'all',
  },
  agent: {
    expiryOptions: [
      { value: String(8 * DAYS_PER_HOUR), label: 'In 8 hours' },
      { value: '1', label: 'In 1 day' },
      ...buildDayOptions(7, 30),
    ],
    defaultExpiry: String(8 * DAYS_PER_HOUR),
    accessOptions: [
      { value: 'read', label: 'Read only' },
      { value: 'agent', label: 'Read, and change flags within limits' },
    ],
    defaultAccess: 'read',
  },
} as const;

/** Shows which client requests access, lets the user limit the access, and sends the decision. */
export function Consent({
  request,
  preview,
  takenNames,
}: {
  request: RequestedAuthorization;
  preview: Preview;
  /** The names of the user's tokens. */
  takenNames: readonly string[];
}) {
  const { clientName, kind, problem, redirectHost } = preview;
  const options = OPTIONS_BY_KIND[kind];
  const [description, setDescription] = useState(() => proposeName(preview, takenNames));
  const [expires, setExpires] = useState<string>(options.defaultExpiry);
  const [scope, setScope] = useState({
    ...NO_SCOPE,
    access: options.defaultAccess as Access,
    maxChanges: kind === 'agent' ? '20' : '',
  });
  const change = (changes: Partial<typeof scope>) => setScope(current => ({ ...current, ...changes }));
  const decision = useMutation({
    mutationFn: (allow: boolean) => {
      const limits = toScope(scope);
      const token = {
        description: description.trim(),
        expiresAt: daysFromNow(Number(expires)),
        ...(limits && { scope: limits }),
      };
      return decide({ ...request, allow, ...(allow && { token }) });
    },
    onSuccess: ({ redirectTo }) => {
      if (redirectTo !== null) location.assign(redirectTo);
    },
  });
  const errors = messagesByField(decision.error);
  if (decision.data)
    return <Done allowed={decision.variables === true} willRedirect={decision.data.redirectTo !== null} />;
  if (problem)
    return (
      <Page title="Connect a client">
        <div className={s.body}>
          <div role="alert">
            <p>
              The request from “{clientName}” is invalid: {problem.message}
            </p>
          </div>
          <FormErrors messages={messagesWithoutField(decision.error, [])} />
          <div>
            <Button loading={decision.isPending} onClick={() => decision.mutate(false)}>
              Return to {redirectHost}
            </Button>
          </div>
        </div>
      </Page>
    );
  const shownFields = ['token.description', 'token.expiresAt', 'expiresAt', ...SCOPE_FIELDS];
  return (
    <Page title={`Connect “${clientName}”`}>
      <div className={s.body}>
        <p className={s.origin}>{describeOrigin(preview)}</p>
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
          <FormErrors
            messages={isNameTaken(decision.error) ? [] : messagesWithoutField(decision.error, shownFields)}
          />
          <TextInput
            label="Name"
            description="Appears in your profile and in events."
            required
            maxLength={255}
            value={description}
            error={isNameTaken(decision.error) ? decision.error.message : errors['token.description']}
            onChange={event => setDescription(event.target.value)}
          />
          <NativeSelect
            label="Expires"
            value={expires}
            data={[...options.expiryOptions]}
            error={errors.expiresAt ?? errors['token.expiresAt']}
            onChange={event => setExpires(event.target.value)}
          />
          <NativeSelect
            label="Access"
            value={scope.access}
            data={[...options.accessOptions]}
            error={errors.scope}
            onChange={event => change({ access: event.target.value as Access })} // The options are values of Access.
          />
          {scope.access !== 'all' && (
            <ScopeFields draft={scope} messages={errors} change={change} isAgent={kind === 'agent'} />
          )}
          <p role="status">{describeConsequences(scope)}</p>
          <p className="muted">To revoke access at any time, delete the token in your profile.</p>
        </Form>
      </div>
    </Page>
  );
}

function Done({ allowed, willRedirect }: { allowed: boolean; willRedirect: boolean }) {
  const nextStep = willRedirect ? 'You are being sent back to the client.' : 'Return to the terminal.';
  return (
    <Page title={allowed ? 'Connected' : 'Denied'}>
      <div className={s.body}>
        <p role="status">
          {allowed ? 'The client now has access.' : 'The client was denied access.'} {nextStep} You can close
          this page.
        </p>
      </div>
    </Page>
  );
}
