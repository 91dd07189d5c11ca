import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { Time } from '../ui/Time.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { counted } from '../ui/words.ts';
import { roleNameOf } from '../users/roles.ts';
import { NewServiceAccount } from './NewServiceAccount.tsx';
import { type ServiceAccount, serviceAccountsQuery } from './queries.ts';
import s from './service-accounts.module.css';

const keyOf = ({ id }: ServiceAccount): string => String(id);
const textOf = ({ name, username }: ServiceAccount): string => `${name}\n${username}`;
const lastUseOf = ({ tokens }: ServiceAccount): string =>
  tokens
    .map(({ seenAt }) => seenAt ?? '')
    .toSorted()
    .at(-1) ?? '';
const COLUMNS = [
  {
    label: 'Service account',
    compare: (one: ServiceAccount, other: ServiceAccount) => one.name.localeCompare(other.name),
  },
  { label: 'Root role' },
  { label: 'Tokens' },
  {
    label: 'Last used',
    compare: (one: ServiceAccount, other: ServiceAccount) => lastUseOf(other).localeCompare(lastUseOf(one)),
  },
];

/** The service accounts. */
export function ServiceAccountsPage() {
  const navigate = useNavigate();
  const { search, push, replace } = useFilters();
  const { data, error, refetch } = useQuery(serviceAccountsQuery);
  const roles = data?.rootRoles;
  const render = useCallback(
    (account: ServiceAccount) => (
      <>
        <Cell as="name">
          <Link to="/admin/service-accounts/$accountId" params={{ accountId: keyOf(account) }}>
            {account.name}
          </Link>
          <small className="mono">{account.username}</small>
        </Cell>
        <Cell as="dim">{roleNameOf(roles ?? [], account.rootRole)}</Cell>
        <Cell as="dim">{account.tokens.length === 0 ? 'none' : counted(account.tokens.length, 'token')}</Cell>
        <Cell as="dim">{lastUseOf(account) ? <Time at={lastUseOf(account)} /> : 'never'}</Cell>
      </>
    ),
    [roles],
  );
  return (
    <ListPage
      title="Service accounts"
      noun="service account"
      rows={data?.serviceAccounts}
      error={error}
      onRetry={() => void refetch()}
      keyOf={keyOf}
      textOf={textOf}
      placeholder="Name or username"
      columns={COLUMNS}
      className={s.columns}
      render={render}
      onOpen={account =>
        void navigate({ to: '/admin/service-accounts/$accountId', params: { accountId: keyOf(account) } })
      }
      create={{
        label: 'New service account',
        call: 'createServiceAccount',
        run: () => push({ edit: 'new' }),
      }}
      empty="No service accounts yet. A program such as a pipeline acts as one, with its own tokens."
    >
      {search.edit === 'new' && roles && (
        <NewServiceAccount roles={roles} onClose={() => replace({ edit: undefined })} />
      )}
    </ListPage>
  );
}
