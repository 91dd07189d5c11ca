import { Page } from '../ui/Page.tsx';

export function IntegrationsPage() {
  return <Page title="Integrations" />;
}
