import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RefusedError } from './api/refused.ts';
import { onSession } from './api/session.ts';
import { createConsoleRouter } from './router.tsx';
import { applyTheme, storedTheme } from './theme.ts';
import './styles/index.css';

applyTheme(storedTheme());

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2000,
      // What is forbidden or gone stays so; asking again only delays saying it.
      retry: (failures, error) => failures < 2 && !(error instanceof RefusedError && error.status < 500),
    },
  },
});
// What one person was told is not for the next, least of all what they may do.
onSession(() => queries.clear());
const router = createConsoleRouter();
const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element "root"');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
