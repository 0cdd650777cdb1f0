import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './app/language.ts';
import { createQueryClient } from './app/queries.ts';
import { createExplorerRouter } from './app/router.tsx';
// The build creates one style sheet for all pages, so the styles are listed here.
import './ui/css/explorer.css';
import './ui/css/form.css';
import './ui/css/scroll-hint.css';
import './ui/css/page.css';
import './ui/css/organization.css';
import './ui/css/once.css';
import './ui/css/value.css';
import './ui/css/component.css';
import './ui/css/change.css';
import './ui/css/record-box.css';
import './ui/css/record.css';
import './ui/css/readme.css';
import './ui/css/shape.css';
import './ui/css/export.css';
import './ui/css/operate.css';
import './ui/css/time-bar.css';
import './ui/css/commit.css';
import './ui/css/overview.css';
import './ui/css/records.css';
import './ui/css/graph.css';
import './ui/css/graph-colour.css';
import './ui/css/graph-node.css';

const queryClient = createQueryClient();
const router = createExplorerRouter();
const place = document.getElementById('explorer');
if (place === null) throw new Error('The page has no element #explorer.');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
