import { Page } from '../ui/Page.tsx';

export function DeliveriesPage() {
  return <Page title="Deliveries" />;
}

export function IntegrationDeliveriesPage() {
  return <Page title="Deliveries" />;
}

export function DeliveryPage() {
  return <Page title="Deliveries" />;
}
