import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './app/language.ts';
import { createQueryClient } from './app/queries.ts';
import { createExplorerRouter } from './app/router.tsx';
import './ui/css/explorer.css';
import './ui/css/form.css';
import './ui/css/scroll-hint.css';

const queryClient = createQueryClient();
const router = createExplorerRouter();

const place = document.getElementById('explorer');
if (place === null) throw new Error('The page has no place for the explorer.');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
