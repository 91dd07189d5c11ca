import { useRouterState } from '@tanstack/react-router';
import { HelpCircle } from 'lucide-react';
import { helpOf } from './help.ts';

/** The page of the manual about the page that is open. */
export function HelpLink() {
  const page = useRouterState({ select: ({ matches }) => helpOf(matches.at(-1)?.fullPath) });
  if (page === undefined) return null;
  return (
    <a
      href={`/help/${page}/`}
      target="_blank"
      rel="noreferrer"
      title="Help on this page"
      aria-label="Help on this page"
    >
      <HelpCircle size={15} aria-hidden="true" />
    </a>
  );
}
