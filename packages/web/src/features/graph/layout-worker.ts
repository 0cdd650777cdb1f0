import { serveLayout } from './layout-service.ts';

serveLayout(self);
