# The image of a Halyard server. `docker compose up --wait` builds it and starts it with a PostgreSQL.

# A release passes the digest: --build-arg NODE_IMAGE=docker.io/library/node:24-slim@sha256:…
ARG NODE_IMAGE=docker.io/library/node:24-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
# The packages change less often than the sources.
COPY package.json package-lock.json .npmrc .node-version ./
COPY plane/package.json plane/
COPY edge/package.json edge/
COPY server/package.json server/
COPY clients/package.json clients/
COPY console/package.json console/
COPY cli/package.json cli/
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build

FROM ${NODE_IMAGE}
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Halyard" \
      org.opencontainers.image.description="Feature flags with a complete record" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /src/dist/package /opt/halyard
RUN ln -s /opt/halyard/bin/halyard.cjs /usr/local/bin/halyard
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4242
# A number, so that Kubernetes can see that it is not root. The server writes files only to HALYARD_DATA_DIR, if it is set.
USER 10001:10001
WORKDIR /opt/halyard
EXPOSE 4242
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --retries=3 CMD ["node", "/opt/halyard/bin/halyard.cjs", "health"]
ENTRYPOINT ["node", "/opt/halyard/bin/halyard.cjs"]
CMD ["server"]
