# Builds dist/. Copying the manifest and lock file first lets Docker reuse the installation if only sources change.
FROM node:24.21.0-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.types.json ./
COPY spec spec
COPY fixtures fixtures
COPY src src
RUN npm run --silent build

FROM node:24.21.0-slim
# The URL of the repository that the image is built from: --build-arg SOURCE="$(git remote get-url origin)".
ARG SOURCE=""
LABEL org.opencontainers.image.title="convsim" \
      org.opencontainers.image.description="A simulator of the conversation-analytics service, for developers of its clients" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.source="$SOURCE" \
      org.opencontainers.image.documentation="file:///app/README.md" \
      org.opencontainers.image.licenses="MIT"
# HOST is 0.0.0.0, because a container's loopback cannot be reached from outside. The port mapping (`docker run -p`)
# decides who can reach the API and the control plane, so the control plane needs no token.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4010 CONVSIM_CONTROL_OPEN=true
# Node's compile cache, which shortens each startup (test/bench/FINDINGS.md).
ENV NODE_COMPILE_CACHE=/app/.compiled
WORKDIR /app
COPY package.json LICENSE README.md SKILL.md ./
COPY docs docs
COPY docker docker
COPY spec spec
COPY fixtures fixtures
# dist/ contains all libraries with their licenses, so no packages are installed in the image.
COPY --from=build /app/dist dist
# A named volume mounted here (`-v convsim:/data`) gets the owner of this folder, and stores the state.
RUN mkdir /data .compiled && chown node:node /data .compiled
USER node
# Fills the compile cache. Runs as the image's user, because each user has a separate cache.
RUN node dist/cli.js exec --state :memory: --allow-no-requests -- true
EXPOSE 4010
# Docker 25 and newer check every second until the first success, then every 30 s; older versions check every 30 s.
# The check finds the port, whether PORT or --port sets it.
HEALTHCHECK --interval=30s --start-interval=1s --timeout=3s --start-period=30s --retries=3 CMD ["node", "/app/dist/cli.js", "healthcheck"]
# The path is absolute, so that `-w /work` affects only relative paths in arguments, such as a contract's.
ENTRYPOINT ["/app/docker/entrypoint.sh", "/data"]
CMD []
