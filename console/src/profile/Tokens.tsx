import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { messagesByField, messagesWithoutField } from '../api/errors.ts';
import { ExpiryFields } from '../token-scope/ExpiryFields.tsx';
import { toExpiresAt } from '../token-scope/expiry.ts';
import {
  type Access,
  describeScope,
  isForAgent,
  NO_SCOPE,
  SCOPE_FIELDS,
  toScope,
} from '../token-scope/words.ts';
import { Confirm } from '../ui/Confirm.tsx';
import { Failure } from '../ui/Failure.tsx';
import { PanelForm } from '../ui/PanelForm.tsx';
import { Secret } from '../ui/Secret.tsx';
import { State } from '../ui/State.tsx';
import { Time } from '../ui/Time.tsx';
import { toast } from '../ui/toasts.ts';
import { useDraft } from '../ui/useDraft.ts';
import { useFilters } from '../ui/useFilters.ts';
import { useUnsaved } from '../ui/useUnsaved.tsx';
import { createToken, deleteToken, type PersonalToken, tokensQuery } from './queries.ts';
import { Row, Section } from './Section.tsx';
import { classifyExpiry } from './words.ts';

const EMPTY = { description: '', days: '30', date: '', ...NO_SCOPE };
const ACCESS = [
  { value: 'all', label: 'Everything you can do' },
  { value: 'some', label: 'Part of what you can do' },
  { value: 'read', label: 'Read only' },
  { value: 'agent', label: 'For an agent that changes flags within limits' },
  { value: 'agent-read', label: 'For an agent that only reads' },
];

const ScopeFields = lazy(() =>
  import('../token-scope/ScopeFields.tsx').then(module => ({ default: module.ScopeFields })),
);

/** Lists the tokens that scripts and the CLI use to act as the user. */
export function Tokens() {
  const tokens = useQuery(tokensQuery);
  const { search, push, replace, leave } = useFilters();
  const [createdToken, setCreatedToken] = useState<PersonalToken>();
  const [tokenToDelete, setTokenToDelete] = useState<PersonalToken>();
  return (
    <Section
      title="Personal tokens"
      action={<Button onClick={() => push({ edit: 'token' })}>New personal token</Button>}
    >
      {tokens.error && <Failure error={tokens.error} onRetry={() => void tokens.refetch()} />}
      {tokens.data?.length === 0 && (
        <Row
          title={<span className="muted">A personal token lets a script act as you. You have none.</span>}
        />
      )}
      {tokens.data?.map(token => (
        <Row
          key={token.id}
          title={token.description}
          note={
            <>
              Created <Time at={token.createdAt} /> ·{' '}
              {token.seenAt === null ? (
                'never used'
              ) : (
                <>
                  used <Time at={token.seenAt} />
                </>
              )}
              {token.scope && ` · ${describeScope(token)}`}
            </>
          }
        >
          <Expiry at={token.expiresAt} />
          <ActionIcon aria-label={`Delete ${token.description}`} onClick={() => setTokenToDelete(token)}>
            <Trash2 size={15} />
          </ActionIcon>
        </Row>
      ))}
      {search.edit === 'token' && (
        <NewToken
          onClose={() => replace({ edit: undefined })}
          onCreated={token => {
            leave({ edit: undefined });
            setCreatedToken(token);
          }}
        />
      )}
      {createdToken?.secret !== undefined && (
        <Secret
          title={`Token “${createdToken.description}”`}
          secret={createdToken.secret}
          onStored={() => setCreatedToken(undefined)}
        />
      )}
      <Confirm
        opened={tokenToDelete !== undefined}
        title={`Delete the token “${tokenToDelete?.description ?? ''}”?`}
        action="Delete token"
        danger
        onConfirm={async () => {
          if (tokenToDelete) await deleteToken(tokenToDelete.id);
          toast({ message: 'Token deleted.' });
        }}
        onClose={() => setTokenToDelete(undefined)}
      >
        <p>Every server rejects the token immediately. Scripts that use it stop working.</p>
      </Confirm>
    </Section>
  );
}

function Expiry({ at }: { at: string }) {
  const expiry = classifyExpiry(at);
  if (expiry === 'expired') return <State tone="bad">Expired</State>;
  const label = (
    <>
      Expires <Time at={at} format="date" />
    </>
  );
  return expiry === 'soon' ? <State tone="warn">{label}</State> : <span className="muted">{label}</span>;
}

function NewToken({ onClose, onCreated }: { onClose(): void; onCreated(token: PersonalToken): void }) {
  const { draft, change, isChanged, forget } = useDraft('new-personal-token', EMPTY);
  const { description, access } = draft;
  const scope = toScope(draft);
  const create = useMutation({
    mutationFn: () =>
      createToken({
        description: description.trim(),
        expiresAt: toExpiresAt(draft),
        ...(scope && { scope }),
        ...(isForAgent(access) && { kind: 'agent' as const }),
      }),
    onSuccess: token => {
      forget();
      onCreated(token);
    },
  });
  const errors = messagesByField(create.error);
  const unsaved = useUnsaved(isChanged, forget);
  return (
    <PanelForm
      title="New personal token"
      action="Create token"
      pending={create.isPending}
      problems={description.trim() === '' ? ['Enter a description.'] : []}
      messages={messagesWithoutField(create.error, ['description', 'expiresAt', ...SCOPE_FIELDS])}
      {...unsaved}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <TextInput
        label="Description"
        description="Where you use it, such as “laptop” or “release script”."
        required
        maxLength={255}
        value={description}
        error={errors.description}
        onChange={event => change({ description: event.target.value })}
        data-autofocus
      />
      <ExpiryFields expiry={draft} error={errors.expiresAt} onChange={change} />
      <NativeSelect
        label="Access"
        value={access}
        data={ACCESS}
        error={errors.scope}
        onChange={event => change({ access: event.target.value as Access })} // The options are values of Access.
      />
      {access !== 'all' && (
        <Suspense>
          <ScopeFields draft={draft} messages={errors} change={change} />
        </Suspense>
      )}
      <p className="muted">
        {access === 'all'
          ? 'The token has your permissions, including those you get later.'
          : 'The token never has more permissions than you. Events show its description.'}{' '}
        You can have up to 10 personal tokens.
      </p>
    </PanelForm>
  );
}
