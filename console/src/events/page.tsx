import { Page } from '../ui/Page.tsx';

export function EventsPage() {
  return <Page title="Events" />;
}

export function ProjectEventsPage() {
  return <Page title="Events" />;
}

export function EventPage() {
  return <Page title="Events" />;
}
