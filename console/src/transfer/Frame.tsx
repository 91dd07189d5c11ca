import type { ReactNode } from 'react';
import { Page } from '../ui/Page.tsx';
import { Tabs } from '../ui/Tabs.tsx';

const TABS = [
  { to: '/admin/transfer', label: 'Export' },
  { to: '/admin/transfer/import', label: 'Import' },
];

/** The frame of the pages that move flags between environments and instances. */
export function TransferFrame({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Page
      title="Export and import"
      name={`${name} · Transfer`}
      note="Flags between environments and instances"
      head={<Tabs label="Export and import" tabs={TABS} />}
    >
      {children}
    </Page>
  );
}
