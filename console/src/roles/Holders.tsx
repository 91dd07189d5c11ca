import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/client.ts';
import { Failure } from '../ui/Failure.tsx';
import { type Use, UsedBy } from '../ui/UsedBy.tsx';
import { formatCount } from '../ui/words.ts';

type Holder = Schemas['HolderOfRole'];

const getLink = ({ kind, id }: Holder): Pick<Use, 'to' | 'search'> =>
  ({
    group: { to: `/admin/groups/${id}` },
    user: { to: '/admin/users', search: { user: String(id) } },
    'service-account': { to: `/admin/service-accounts/${id}` },
    'single-sign-on': {},
  })[kind];

const KINDS = {
  user: '',
  group: 'Group',
  'service-account': 'Service account',
  'single-sign-on': 'In the single sign-on settings',
};

/** Lists who has a role and where. */
export function Holders({
  query,
  isRoot,
}: {
  query: UseQueryResult<Schemas['HoldersOfRole']>;
  /** Whether the role is a root role rather than a project role. */
  isRoot: boolean;
}) {
  if (query.error && !query.data) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <UsedBy
      anchor="holders"
      title="Who has this role"
      noun="holder"
      uses={query.data?.holders.map(holder => ({
        key: `${holder.kind} ${holder.id} ${holder.project?.id}`,
        ...getLink(holder),
        label: holder.name,
        note: [
          KINDS[holder.kind],
          holder.members !== undefined && formatCount(holder.members, 'member'),
          holder.project?.name ?? 'Instance-wide',
        ]
          .filter(Boolean)
          .join(' · '),
      }))}
      total={query.data?.total}
      empty={
        isRoot ? (
          <>
            Nobody has this role. <Link to="/admin/users">Choose a user</Link> and change their role.
          </>
        ) : (
          <>
            Nobody has this role. <Link to="/projects">Choose a project</Link> and grant the role in its
            settings, under Access.
          </>
        )
      }
    />
  );
}
