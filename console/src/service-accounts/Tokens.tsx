import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { messagesByField } from '../api/errors.ts';
import { ExpiryFields } from '../token-scope/ExpiryFields.tsx';
import { isIncomplete, toExpiresAt } from '../token-scope/expiry.ts';
import { type Access, describeScope, NO_SCOPE, toScope } from '../token-scope/words.ts';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { escapeText } from '../ui/caller-text.ts';
import { RailSection } from '../ui/RailSection.tsx';
import { Secret } from '../ui/Secret.tsx';
import { Time } from '../ui/Time.tsx';
import { formatDate } from '../ui/time.ts';
import { toast } from '../ui/toasts.ts';
import { createToken, deleteToken, type ServiceAccount, type Token } from './queries.ts';
import s from './service-accounts.module.css';

/** The server's limit for each account. */
const MAX_TOKENS = 10;

/** A service account's tokens. The server shows a new secret only once. */
export function Tokens({ account }: { account: ServiceAccount }) {
  const [isCreating, setCreating] = useState(false);
  const [tokenToDelete, setTokenToDelete] = useState<Token>();
  const [secret, setSecret] = useState<string>();
  return (
    <RailSection
      title="Tokens"
      aside={
        <Can call="createServiceAccountToken">
          <Button
            leftSection={<Plus size={14} />}
            disabled={account.tokens.length >= MAX_TOKENS}
            onClick={() => setCreating(true)}
          >
            New token…
          </Button>
        </Can>
      }
    >
      {account.tokens.length === 0 && (
        <p className={s.words}>No tokens yet, so no client can act as this account.</p>
      )}
      {account.tokens.length > 0 && (
        <ul className={s.tokens}>
          {account.tokens.map(token => (
            <li key={token.id}>
              <span>
                <b>{token.description}</b>
                <small>
                  {token.seenAt ? (
                    <>
                      used <Time at={token.seenAt} />
                    </>
                  ) : (
                    'never used'
                  )}
                  {Date.parse(token.expiresAt) < Date.now() ? ' · expired ' : ' · expires '}
                  {formatDate(token.expiresAt)}
                  {token.scope && ` · ${describeScope(token)}`}
                </small>
              </span>
              <Can call="deleteServiceAccountToken">
                <Button size="compact-xs" onClick={() => setTokenToDelete(token)}>
                  Delete… <span className="sr">{token.description}</span>
                </Button>
              </Can>
            </li>
          ))}
        </ul>
      )}
      {account.tokens.length >= MAX_TOKENS && (
        <p className={s.words}>
          An account can have up to {MAX_TOKENS} tokens. Delete one to create another.
        </p>
      )}
      {isCreating && (
        <NewToken
          account={account}
          onCreated={value => {
            setCreating(false);
            setSecret(value);
          }}
          onClose={() => setCreating(false)}
        />
      )}
      {secret !== undefined && (
        <Secret title={`Token for ${account.name}`} secret={secret} onStored={() => setSecret(undefined)}>
          {`Clients use this token to act as ${escapeText(account.name)}. Copy it now. Halyard does not show it again.`}
        </Secret>
      )}
      {tokenToDelete && (
        <Confirm
          opened
          title={`Delete the token ${tokenToDelete.description}?`}
          action="Delete token"
          danger
          onConfirm={async () => {
            await deleteToken(account.id, tokenToDelete.id);
            toast({ message: `Deleted the token ${tokenToDelete.description}.` });
          }}
          onClose={() => setTokenToDelete(undefined)}
        >
          <p>
            Every server rejects the token immediately.{' '}
            {tokenToDelete.seenAt ? (
              <>
                It was last used <Time at={tokenToDelete.seenAt} />.
              </>
            ) : (
              'It was never used.'
            )}
          </p>
        </Confirm>
      )}
    </RailSection>
  );
}

const ScopeFields = lazy(() =>
  import('../token-scope/ScopeFields.tsx').then(module => ({ default: module.ScopeFields })),
);

const ACCESS = [
  { value: 'all', label: 'Everything the account can do' },
  { value: 'some', label: 'Part of what the account can do' },
  { value: 'read', label: 'Read only' },
];

function NewToken({
  account,
  onCreated,
  onClose,
}: {
  account: ServiceAccount;
  onCreated(secret: string): void;
  onClose(): void;
}) {
  const [description, setDescription] = useState('');
  const [expiry, setExpiry] = useState({ days: '90', date: '' });
  const [draft, setDraft] = useState(NO_SCOPE);
  const scope = toScope(draft);
  const create = useMutation({
    mutationFn: () =>
      createToken(account.id, {
        description: description.trim(),
        expiresAt: toExpiresAt(expiry),
        ...(scope && { scope }),
      }),
  });
  const messages = messagesByField(create.error);
  return (
    <Confirm
      opened
      title={`New token for ${account.name}`}
      action="Create token"
      disabled={description.trim() === '' || isIncomplete(expiry)}
      onConfirm={async () => {
        const { secret } = await create.mutateAsync();
        onCreated(secret ?? '');
      }}
      onClose={onClose}
    >
      <div className={s.fields}>
        <TextInput
          label="Description"
          description="The client or machine that uses the token."
          required
          maxLength={255}
          autoComplete="off"
          data-autofocus
          value={description}
          error={messages.description}
          onChange={event => setDescription(event.target.value)}
        />
        <ExpiryFields
          expiry={expiry}
          error={messages.expiresAt}
          onChange={changes => setExpiry({ ...expiry, ...changes })}
        />
        <NativeSelect
          label="Access"
          value={draft.access}
          data={ACCESS}
          error={messages.scope}
          onChange={event => setDraft({ ...draft, access: event.target.value as Access })} // The options are values of Access.
        />
        {draft.access !== 'all' && (
          <Suspense>
            <ScopeFields
              draft={draft}
              messages={messages}
              change={changes => setDraft({ ...draft, ...changes })}
            />
          </Suspense>
        )}
      </div>
    </Confirm>
  );
}
