#include "tests/simulation/history.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "tests/simulation/random.h"

namespace tofu::simulation {

namespace {

std::string_view name_of(IncidentKind kind) {
  switch (kind) {
    case IncidentKind::Kill: return "the process is killed at moment";
    case IncidentKind::PowerLoss: return "power is lost at moment";
    case IncidentKind::Stop: return "the run is interrupted at moment";
    case IncidentKind::Intruder: return "another process runs at moment";
    case IncidentKind::DiskError: return "EIO at disk operation";
    case IncidentKind::DiskFull: return "ENOSPC at write";
    case IncidentKind::ShortWrite: return "short write at write";
    case IncidentKind::SyncError: return "EIO at sync";
    case IncidentKind::CallFailsBefore: return "no effect and an error at call";
    case IncidentKind::CallFailsAfter: return "an effect and an error at call";
    case IncidentKind::CallCrashesBefore: return "no effect and a crash at call";
    case IncidentKind::CallCrashesAfter: return "an effect and a crash at call";
    case IncidentKind::CallStaysUnknown: return "an unknown value at call";
    case IncidentKind::CallIsSlow: return "half a minute at call";
    case IncidentKind::ProvisionerFails: return "an error at provisioner";
    case IncidentKind::RequestLost: return "request lost at request";
    case IncidentKind::AnswerLost: return "answer lost at request";
    case IncidentKind::RequestTwice: return "delivered twice at request";
    case IncidentKind::RequestRefused: return "error 500 at request";
  }
  return "";
}

// How many operations of its kind a step has, about.
unsigned span_of(IncidentKind kind) {
  switch (kind) {
    case IncidentKind::Kill:
    case IncidentKind::PowerLoss:
    case IncidentKind::Stop:
    case IncidentKind::Intruder: return 110;
    case IncidentKind::DiskError: return 90;
    case IncidentKind::DiskFull:
    case IncidentKind::ShortWrite: return 24;
    case IncidentKind::SyncError: return 16;
    case IncidentKind::RequestLost:
    case IncidentKind::AnswerLost:
    case IncidentKind::RequestTwice:
    case IncidentKind::RequestRefused: return 8;
    case IncidentKind::CallFailsBefore:
    case IncidentKind::CallFailsAfter:
    case IncidentKind::CallCrashesBefore:
    case IncidentKind::CallCrashesAfter:
    case IncidentKind::CallStaysUnknown:
    case IncidentKind::CallIsSlow: return 6;
    case IncidentKind::ProvisionerFails: return 3;
  }
  return 1;
}

bool is_of_network(IncidentKind kind) { return kind >= IncidentKind::RequestLost; }

Incident random_incident(Random& random, bool is_remote) {
  Incident incident;
  do {
    // Every other one ends the process.
    incident.kind = random.one_in(3)
                        ? (random.one_in(2) ? IncidentKind::Kill : IncidentKind::PowerLoss)
                        : static_cast<IncidentKind>(random.below(kIncidentKinds));
  } while (is_of_network(incident.kind) && !is_remote);
  incident.at = static_cast<unsigned>(random.below(span_of(incident.kind)));
  if (incident.kind == IncidentKind::DiskFull)
    incident.length = static_cast<unsigned>(random.below(40));
  if (incident.kind == IncidentKind::Intruder && random.one_in(2)) {
    incident.length = static_cast<unsigned>(random.below(80));
  }
  return incident;
}

void edit(Config& config, Random& random) {
  const std::uint64_t edits = 1 + random.below(3);
  for (std::uint64_t i = 0; i < edits; ++i) {
    Declared& one = config[random.below(kResources)];
    if (one.count < 0) {
      one = {.count = static_cast<int>(1 + random.below(2)),
             .creates_first = random.one_in(3),
             .needs_previous = random.one_in(2),
             .is_provisioned = random.one_in(4)};
      continue;
    }
    switch (random.below(6)) {
      case 0: one.count = -1; break;
      case 1:
      case 2: one.zone = 1 - one.zone; break;
      case 3: one.label = (one.label + 1) % 3; break;
      case 4: one.count = static_cast<int>(random.below(4)); break;
      default: one.creates_first = !one.creates_first; break;
    }
  }
}

std::string describe(const Config& config) {
  std::string text;
  for (std::size_t i = 0; i < config.size(); ++i) {
    const Declared& one = config[i];
    if (one.count < 0) continue;
    text += fmt::format(" r{}(count {}, zone {}, label {}{}{}{})", i, one.count, one.zone,
                        one.label, one.creates_first ? ", creates first" : "",
                        one.needs_previous && i > 0 ? ", needs the previous" : "",
                        one.is_provisioned ? ", provisioned" : "");
  }
  return text.empty() ? " nothing" : text;
}

}  // namespace

History history_of(std::uint64_t seed) {
  Random random(seed);
  History history;
  history.is_remote = random.one_in(3);
  const std::uint64_t steps = 1 + random.below(3);
  Config config;
  for (std::uint64_t i = 0; i < steps; ++i) {
    if (i == 0 || !random.one_in(4)) edit(config, random);
    Step step{.config = config,
              .destroys = random.one_in(10),
              .meddles = random.one_in(6),
              .seed = random.next()};
    const std::uint64_t incidents = random.below(4);
    for (std::uint64_t f = 0; f < incidents; ++f) {
      step.incidents.push_back(random_incident(random, history.is_remote));
    }
    history.steps.push_back(std::move(step));
  }
  return history;
}

std::string describe(const History& history) {
  std::string text =
      history.is_remote ? "The state is in a store on the network.\n" : "The state is in a file.\n";
  for (const Step& step : history.steps) {
    text += fmt::format("- {}{}:{}\n", step.meddles ? "a person meddles; then " : "",
                        step.destroys ? "destroy" : "apply", describe(step.config));
    for (const Incident& incident : step.incidents) {
      text += fmt::format("    {} {}", name_of(incident.kind), incident.at);
      if (incident.length != 0) text += fmt::format(", for {}", incident.length);
      text += '\n';
    }
  }
  return text;
}

History shorten(History history, const std::function<bool(const History&)>& fails) {
  // Tries a change, and keeps it if the history still fails.
  const auto attempt = [&](const std::function<void(History&)>& change) {
    History shorter = history;
    change(shorter);
    if (!fails(shorter)) return false;
    history = std::move(shorter);
    return true;
  };
  for (bool changes = true; changes;) {
    changes = false;
    for (std::size_t i = history.steps.size(); i-- > 0;) {
      if (attempt([&](History& h) {
            h.steps.erase(h.steps.begin() + static_cast<std::ptrdiff_t>(i));
          })) {
        changes = true;
        continue;
      }
      for (std::size_t f = history.steps[i].incidents.size(); f-- > 0;) {
        changes |= attempt([&](History& h) {
          auto& incidents = h.steps[i].incidents;
          incidents.erase(incidents.begin() + static_cast<std::ptrdiff_t>(f));
        });
      }
      if (history.steps[i].meddles) {
        changes |= attempt([&](History& h) { h.steps[i].meddles = false; });
      }
      for (std::size_t r = 0; r < kResources; ++r) {
        if (history.steps[i].config[r].count < 0) continue;
        changes |= attempt([&](History& h) { h.steps[i].config[r] = {}; });
      }
    }
  }
  return history;
}

std::string text_of(const Config& config) {
  std::string text;
  std::string ids;
  std::string secrets;
  for (std::size_t i = 0; i < config.size(); ++i) {
    const Declared& one = config[i];
    if (one.count < 0) continue;
    text += fmt::format(
        "variable \"count{0}\" {{}}\nvariable \"zone{0}\" {{}}\nvariable \"label{0}\" {{}}\n"
        "resource \"sim_thing\" \"r{0}\" {{\n  count  = var.count{0}\n  name   = "
        "\"r{0}[${{count.index}}]\"\n  zone   = var.zone{0}\n  label  = var.label{0}\n"
        "  secret = \"S3CRET-${{var.label{0}}}\"\n",
        i);
    if (one.needs_previous && i > 0 && config[i - 1].count >= 0) {
      text += fmt::format("  uses   = sim_thing.r{}[*].id\n", i - 1);
    }
    if (one.creates_first) text += "  lifecycle { create_before_destroy = true }\n";
    if (one.is_provisioned) {
      text += "  provisioner \"local-exec\" {\n    command = self.id\n  }\n";
    }
    text += "}\n";
    ids += fmt::format("    r{0} = sim_thing.r{0}[*].token\n", i);
    secrets += fmt::format("    r{0} = sim_thing.r{0}[*].secret\n", i);
  }
  return text + "output \"tokens\" {\n  value = {\n" + ids +
         "  }\n}\noutput \"secrets\" {\n  sensitive = true\n  value = {\n" + secrets + "  }\n}\n";
}

}  // namespace tofu::simulation
