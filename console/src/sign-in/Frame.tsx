import type { ReactNode } from 'react';
import { Page } from '../ui/Page.tsx';
import { Tabs } from '../ui/Tabs.tsx';

const TABS = [
  { to: '/admin/sign-in', label: 'OpenID Connect' },
  { to: '/admin/sign-in/passwords', label: 'Passwords' },
  { to: '/admin/sign-in/origins', label: 'Frontend origins' },
];

/** Frames the settings for how people log in and for which pages may use frontend SDKs. */
export function SignInFrame({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Page title="Sign-in" name={`${name} · Sign-in`} head={<Tabs label="Sign-in" tabs={TABS} />}>
      {children}
    </Page>
  );
}
