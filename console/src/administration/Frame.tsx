import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { can } from '../api/can.ts';
import { useMe } from '../api/me.ts';
import { SecondNavigation } from '../ui/SecondNavigation.tsx';
import { groupEntries, listAdminEntries } from './navigation.ts';
import { statisticsQuery } from './queries.ts';

/** Frames the administration pages with their own navigation. */
export function AdministrationFrame() {
  const me = useMe();
  const { data: statistics } = useQuery({
    ...statisticsQuery,
    enabled: can(me, 'getInstanceStatistics'),
  });
  return (
    <SecondNavigation
      label="Administration"
      title="Administration"
      groups={groupEntries(listAdminEntries(me)).map(([group, entries]) => ({
        ...(group !== 'Instance' && { label: group }),
        items: entries.map(({ label, path, count }) => ({
          to: path,
          label,
          count: statistics && count?.(statistics),
        })),
      }))}
    >
      <Outlet />
    </SecondNavigation>
  );
}
