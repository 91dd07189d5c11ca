import { Page } from '../ui/Page.tsx';

export function FeaturePage() {
  return <Page title="Flag" />;
}
