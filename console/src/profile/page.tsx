import { Page } from '../ui/Page.tsx';

export function ProfilePage() {
  return <Page title="Profile" />;
}
