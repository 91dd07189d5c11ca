import type { ReactNode } from 'react';
import { Page } from '../ui/Page.tsx';
import { Tabs } from '../ui/Tabs.tsx';

const TABS = [
  { to: '/admin/sign-in', label: 'OpenID Connect' },
  { to: '/admin/sign-in/passwords', label: 'Passwords' },
  { to: '/admin/sign-in/origins', label: 'Frontend origins' },
];

/** The settings of how people log in, and of the pages in which frontend SDKs run. */
export function SignInFrame({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Page title="Sign-in" name={`${name} · Sign-in`} head={<Tabs label="Sign-in" tabs={TABS} />}>
      {children}
    </Page>
  );
}
