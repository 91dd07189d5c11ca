import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { messagesByField } from '../api/errors.ts';
import { getReplacementName } from '../api-tokens/words.ts';
import { ExpiryFields } from '../token-scope/ExpiryFields.tsx';
import { isIncomplete, toExpiresAt, toExpiry, toReplacementExpiry } from '../token-scope/expiry.ts';
import { type Access, describeScope, NO_SCOPE, toScope } from '../token-scope/words.ts';
import { Can } from '../ui/Can.tsx';
import { Confirm } from '../ui/Confirm.tsx';
import { escapeText } from '../ui/caller-text.ts';
import { RailSection } from '../ui/RailSection.tsx';
import { Secret } from '../ui/Secret.tsx';
import { Time } from '../ui/Time.tsx';
import { formatDate } from '../ui/time.ts';
import { toast } from '../ui/toasts.ts';
import { createToken, deleteToken, type ServiceAccount, type Token, updateTokenExpiry } from './queries.ts';
import s from './service-accounts.module.css';

/** The server's limit for each account. */
const MAX_TOKENS = 10;

/** A service account's tokens. The server shows a new secret only once. */
export function Tokens({ account }: { account: ServiceAccount }) {
  const [form, setForm] = useState<{ replaces?: Token }>();
  const [tokenToExtend, setTokenToExtend] = useState<Token>();
  const [tokenToDelete, setTokenToDelete] = useState<Token>();
  const [secret, setSecret] = useState<string>();
  const isFull = account.tokens.length >= MAX_TOKENS;
  return (
    <RailSection
      title="Tokens"
      aside={
        <Can call="createServiceAccountToken">
          <Button leftSection={<Plus size={14} />} disabled={isFull} onClick={() => setForm({})}>
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
              <div className={s.actions}>
                <Can call="updateServiceAccountToken">
                  <Button size="compact-xs" onClick={() => setTokenToExtend(token)}>
                    Change the expiry… <span className="sr">{token.description}</span>
                  </Button>
                </Can>
                <Can call="createServiceAccountToken">
                  <Button size="compact-xs" disabled={isFull} onClick={() => setForm({ replaces: token })}>
                    Rotate the secret… <span className="sr">{token.description}</span>
                  </Button>
                </Can>
                <Can call="deleteServiceAccountToken">
                  <Button size="compact-xs" onClick={() => setTokenToDelete(token)}>
                    Delete… <span className="sr">{token.description}</span>
                  </Button>
                </Can>
              </div>
            </li>
          ))}
        </ul>
      )}
      {isFull && (
        <p className={s.words}>
          An account can have up to {MAX_TOKENS} tokens. Delete one to create another.
        </p>
      )}
      {form && (
        <NewToken
          account={account}
          replaces={form.replaces}
          onCreated={value => {
            setForm(undefined);
            setSecret(value);
          }}
          onClose={() => setForm(undefined)}
        />
      )}
      {tokenToExtend && (
        <ExpiryDialog account={account} token={tokenToExtend} onClose={() => setTokenToExtend(undefined)} />
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

/** The form for a new token. A token that replaces a different one has the same scope. */
function NewToken({
  account,
  replaces,
  onCreated,
  onClose,
}: {
  account: ServiceAccount;
  replaces: Token | undefined;
  onCreated(secret: string): void;
  onClose(): void;
}) {
  const [description, setDescription] = useState(replaces ? getReplacementName(replaces.description) : '');
  const [expiry, setExpiry] = useState(replaces ? toReplacementExpiry(replaces) : { days: '90', date: '' });
  const [draft, setDraft] = useState(NO_SCOPE);
  const scope = replaces ? replaces.scope : toScope(draft);
  const create = useMutation({
    mutationFn: () =>
      createToken(account.id, {
        description: description.trim(),
        expiresAt: toExpiresAt(expiry),
        ...(scope && { scope }),
      }),
  });
  const messages = messagesByField(create.error);
  const problems = description.trim() === '' ? ['Enter a description.'] : [];
  if (isIncomplete(expiry)) problems.push('Enter a date.');
  return (
    <Confirm
      opened
      title={replaces ? `Rotate the secret of ${replaces.description}` : `New token for ${account.name}`}
      action="Create token"
      problems={problems}
      onConfirm={async () => {
        const { secret } = await create.mutateAsync();
        onCreated(secret ?? '');
      }}
      onClose={onClose}
    >
      <div className={s.fields}>
        {replaces && (
          <p className={s.words}>
            This creates a second token with the same access. Change the secret in the programs that use{' '}
            {escapeText(replaces.description)}, then delete the old token, which works until then.
          </p>
        )}
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
        {!replaces && (
          <NativeSelect
            label="Access"
            value={draft.access}
            data={ACCESS}
            error={messages.scope}
            onChange={event => setDraft({ ...draft, access: event.target.value as Access })} // The options are values of Access.
          />
        )}
        {!replaces && draft.access !== 'all' && (
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

function ExpiryDialog({
  account,
  token,
  onClose,
}: {
  account: ServiceAccount;
  token: Token;
  onClose(): void;
}) {
  const [expiry, setExpiry] = useState(toExpiry(token.expiresAt));
  const update = useMutation({
    mutationFn: () => updateTokenExpiry(account.id, token.id, toExpiresAt(expiry)),
  });
  return (
    <Confirm
      opened
      title={`Change the expiry of ${token.description}`}
      action="Save the expiry"
      disabled={isIncomplete(expiry)}
      onConfirm={async () => {
        await update.mutateAsync();
        toast({ message: 'Expiry saved.' });
      }}
      onClose={onClose}
    >
      <div className={s.fields}>
        <ExpiryFields
          expiry={expiry}
          error={messagesByField(update.error).expiresAt}
          onChange={changes => setExpiry({ ...expiry, ...changes })}
        />
      </div>
    </Confirm>
  );
}
