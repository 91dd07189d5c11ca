import './layers.css';
import './mantine-styles.ts';
import './mantine.gen.css';
import './tokens.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { isOutage } from './api/errors.ts';
import { createConsoleRouter } from './routes.tsx';
import { theme } from './theme.ts';

const RETRY_MS = 5_000;

// Queries do not retry, because api/client.ts does. Changes fail while offline, because TanStack Query could otherwise send them later.
const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: false,
      // Reloads the parts of a page that failed during an outage, once the server is back.
      refetchInterval: ({ state }) => isOutage(state.error) && RETRY_MS,
    },
    mutations: { networkMode: 'always' },
  },
});
const router = createConsoleRouter(queryClient);
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

createRoot(root).render(
  <MantineProvider
    theme={theme}
    defaultColorScheme="auto"
    colorSchemeManager={localStorageColorSchemeManager({ key: 'halyard-scheme' })}
    withCssVariables={false}
    withGlobalClasses={false}
  >
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>,
);
