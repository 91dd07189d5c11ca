import { Page } from '../ui/Page.tsx';

export function HealthPage() {
  return <Page title="Health" />;
}
