import { Page } from '../ui/Page.tsx';

export function NewIntegrationPage() {
  return <Page title="Integration" />;
}

export function IntegrationPage() {
  return <Page title="Integration" />;
}
