# The folder that is served from; the manifest and the lock come first, so that installs are kept between builds.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.types.json ./
COPY spec spec
COPY fixtures fixtures
COPY src src
RUN npm run --silent build

FROM node:24-slim
LABEL org.opencontainers.image.title="convsim" \
      org.opencontainers.image.description="A simulator of the conversation-analytics service, for people who write clients of it" \
      org.opencontainers.image.licenses="MIT"
# 0.0.0.0, since a container's own loopback cannot be reached from outside; what is published is up to `docker run -p`.
# The same goes for the control plane: a container's port mapping is its boundary.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4010 SIM_STATE=/data/state.json SIM_CONTROL_OPEN=true
# One heap of the C library for all threads: a twentieth less memory, and no slower that could be seen (test/bench/FINDINGS.md).
ENV MALLOC_ARENA_MAX=1
WORKDIR /app
COPY package.json ./
COPY spec spec
COPY fixtures fixtures
# All libraries are in it; no node_modules beside it.
COPY --from=build /app/dist dist
# A new volume takes its owner from here.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 4010
# Asks the port that the server was told, by PORT as by --port.
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "/app/dist/cli.js", "healthcheck"]
# Absolute, so that `-w /work` changes what a contract's relative path means and nothing else.
ENTRYPOINT ["node", "/app/dist/cli.js"]
CMD []
