# The image of the Deployments that `rackwright install` and the chart make.
#   npm run build && docker build -t rackwright:0.1.0 .
FROM node:24-bookworm-slim AS dependencies
WORKDIR /rackwright
COPY package.json package-lock.json ./
# The image brings its own Node, so that the one of the npm package is of no use here.
RUN npm ci --omit=dev --ignore-scripts --no-fund --no-audit && rm -rf node_modules/node

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /rackwright
COPY --from=dependencies /rackwright/node_modules node_modules
COPY dist .
USER 65532:65532
ENTRYPOINT ["node", "--max-semi-space-size=4", "--heap-growing-percent=20", "bin/rackwright.mjs"]
