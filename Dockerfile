# One image for all four apps. The command selects the app.
#
#   docker build --tag tributary:0.1.0 .
#   docker run --env-file settings.env tributary:0.1.0 node dist/bundle/ingest.js
#
# `npm run check:deploy` reads this file and does the same without Docker, in an empty folder.

# Tag and digest name the same image for amd64 and arm64. Change both together.
ARG NODE=node:24.20.0-bookworm-slim@sha256:ba849c60be29959425b8734d57b8b4b7d56f98edd9504c9af091d5281095a71e

# Installs production packages only. npm runs no scripts of packages.
FROM ${NODE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts
# npm lists what is installed, once package.json names nothing else: the lock file alone leaves packages out.
RUN npm pkg delete devDependencies workspaces && npm sbom --sbom-format=cyclonedx > sbom.cdx.json

# With optional packages: the program that bundles the console is one.
FROM ${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# npm installs what a workspace needs only if it finds the workspace.
COPY packages/async/package.json packages/async/
COPY packages/zstd/package.json packages/zstd/
COPY packages/kafka/package.json packages/kafka/
COPY packages/json/package.json packages/json/
COPY packages/regex-cost/package.json packages/regex-cost/
COPY packages/cel/package.json packages/cel/
COPY packages/json-schema/package.json packages/json-schema/
COPY packages/client/package.json packages/client/
COPY packages/cli/package.json packages/cli/
COPY packages/console/package.json packages/console/
RUN npm ci --ignore-scripts
COPY tsconfig.json ./
COPY deploy/image/tsconfig.json deploy/image/
COPY apps apps
COPY libs libs
COPY packages packages
RUN node packages/client/generate-types.mjs
RUN node node_modules/typescript-7/bin/tsc -p deploy/image/tsconfig.json
RUN node apps/bundle.mjs
# The migrations of all libraries, in their folders.
RUN mkdir tables && find libs -type d -name migrations -exec cp -r --parents {} tables/ \;
RUN node node_modules/vite/bin/vite.js build packages/console

FROM ${NODE}
LABEL org.opencontainers.image.title="Tributary" \
      org.opencontainers.image.description="An event store and stream-processing platform on Kafka and ClickHouse" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=dependencies /app/sbom.cdx.json ./
COPY --from=build /app/dist dist
COPY --from=build /app/packages/console/dist packages/console/dist
COPY package.json LICENSE ./
COPY --from=build /app/tables ./
COPY deploy/image/health-check.mjs deploy/image/
# The command line: docker run --rm tributary:0.1.0 tributary --help
COPY deploy/image/tributary /usr/local/bin/tributary
# User `node` of the base image, as a number, so that Kubernetes can verify that it is not root. No app
# writes below /app.
USER 1000:1000
EXPOSE 3900 3901 3902 3903 3904
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "deploy/image/health-check.mjs"]
CMD ["node", "dist/bundle/gateway.js"]
