# One image for every role. Data lives in /data; set CAIRN_DATABASE_URL to use PostgreSQL instead.
FROM node:24-slim AS web
WORKDIR /cairn
COPY package.json package-lock.json .npmrc run.mjs ./
COPY scripts scripts
COPY packages packages
RUN npm ci

FROM node:24-slim AS install
WORKDIR /cairn
COPY package.json package-lock.json .npmrc run.mjs ./
COPY packages packages
RUN npm ci --omit=dev --omit=optional --ignore-scripts
COPY --from=web /cairn/packages/web/dist packages/web/dist
COPY --from=web /cairn/packages/server/dist packages/server/dist
COPY docs docs

FROM node:24-slim
WORKDIR /cairn
COPY --from=install /cairn .
RUN mkdir /data && chown node /data
USER node
ENV CAIRN_DATA=/data CAIRN_HOST=0.0.0.0
VOLUME /data
EXPOSE 8787
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:8787/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "run.mjs", "packages/server/dist/main.js"]
