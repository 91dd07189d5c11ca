import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { ListPage } from '../ui/ListPage.tsx';
import { Cell } from '../ui/Row.tsx';
import { Time } from '../ui/Time.tsx';
import { useFilters } from '../ui/useFilters.ts';
import { formatCount } from '../ui/words.ts';
import { getRoleName } from '../users/roles.ts';
import { NewServiceAccount } from './NewServiceAccount.tsx';
import { type ServiceAccount, serviceAccountsQuery } from './queries.ts';
import s from './service-accounts.module.css';

const getKey = ({ id }: ServiceAccount): string => String(id);
const getSearchText = ({ name, username }: ServiceAccount): string => `${name}\n${username}`;
const getLastUse = ({ tokens }: ServiceAccount): string =>
  tokens
    .map(({ seenAt }) => seenAt ?? '')
    .toSorted()
    .at(-1) ?? '';
const COLUMNS = [
  {
    label: 'Service account',
    compare: (a: ServiceAccount, b: ServiceAccount) => a.name.localeCompare(b.name),
  },
  { label: 'Role' },
  { label: 'Tokens' },
  {
    label: 'Last used',
    compare: (a: ServiceAccount, b: ServiceAccount) => getLastUse(b).localeCompare(getLastUse(a)),
  },
];

/** Lists the service accounts. */
export function ServiceAccountsPage() {
  const navigate = useNavigate();
  const { search, push, replace } = useFilters();
  const { data, error, refetch } = useQuery(serviceAccountsQuery);
  const roles = data?.rootRoles;
  const render = useCallback(
    (account: ServiceAccount) => (
      <>
        <Cell variant="name">
          <Link to="/admin/service-accounts/$accountId" params={{ accountId: getKey(account) }}>
            {account.name}
          </Link>
          <small className="mono">{account.username}</small>
        </Cell>
        <Cell variant="dim">{getRoleName(roles ?? [], account.rootRole)}</Cell>
        <Cell variant="dim">
          {account.tokens.length === 0 ? 'none' : formatCount(account.tokens.length, 'token')}
        </Cell>
        <Cell variant="dim">{getLastUse(account) ? <Time at={getLastUse(account)} /> : 'never'}</Cell>
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
      getKey={getKey}
      getSearchText={getSearchText}
      placeholder="Name or username"
      columns={COLUMNS}
      className={s.columns}
      render={render}
      onOpen={account =>
        void navigate({ to: '/admin/service-accounts/$accountId', params: { accountId: getKey(account) } })
      }
      create={{
        label: 'New service account',
        call: 'createServiceAccount',
        run: () => push({ edit: 'new' }),
      }}
      empty="No service accounts yet. With one, a client such as a CI pipeline has its own role and tokens."
    >
      {search.edit === 'new' && roles && (
        <NewServiceAccount roles={roles} onClose={() => replace({ edit: undefined })} />
      )}
    </ListPage>
  );
}
