/* packet.h by ns-3: its links, devices and queues carry the packets; senders, marking, pausing and
 * receivers are here. */
#include "runtime/collective/packet_ns3.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

using namespace ns3;

namespace {

constexpr uint32_t kInDevice = 2;      // bytes of the header that ns-3's device adds by itself: PPP
constexpr uint16_t kPpp = 0x0021;     // IPv4, as the devices write it
constexpr uint16_t kProtocol = 0x0800; // the devices know IPv4 and IPv6; nobody looks
constexpr int kFastSteps = 5;          // F of DCQCN
constexpr double kGiveUp = 20;         // packets sent for each that is needed
constexpr double kSettled = 5;         // times `steady`: how much controls may change between looks
constexpr size_t kFirstLook = 8;       // slots of the buffer before rates are compared

class Label : public Tag { // what a packet says of itself
 public:
  uint64_t at = 0; // place of its first byte in the flow
  uint32_t flow = 0, size = 0, epoch = 0;
  uint32_t readings = 0; // of what it met: a place of Simulation::readings_, plus 1
  uint16_t hop = 0, way = 0;
  uint8_t marked = 0;
  int64_t sent = 0; // ps

  static TypeId GetTypeId() {
    static TypeId id = TypeId("trainspec::Label").SetParent<Tag>().AddConstructor<Label>();
    return id;
  }
  TypeId GetInstanceTypeId() const override { return GetTypeId(); }
  uint32_t GetSerializedSize() const override { return 37; }
  void Serialize(TagBuffer b) const override {
    b.WriteU64(at), b.WriteU32(flow), b.WriteU32(size), b.WriteU32(epoch), b.WriteU32(readings),
      b.WriteU16(hop), b.WriteU16(way), b.WriteU8(marked), b.WriteU64(static_cast<uint64_t>(sent));
  }
  void Deserialize(TagBuffer b) override {
    at = b.ReadU64(), flow = b.ReadU32(), size = b.ReadU32(), epoch = b.ReadU32(),
    readings = b.ReadU32(), hop = b.ReadU16(), way = b.ReadU16(), marked = b.ReadU8(),
    sent = static_cast<int64_t>(b.ReadU64());
  }
  void Print(std::ostream &) const override {}
};

struct Reading { // what a switch says of a link when a packet leaves over it
  Time at;
  uint64_t sent = 0;    // bytes so far
  uint32_t waiting = 0; // bytes
};
using Readings = std::vector<Reading>; // of the links behind the first one

struct Piece { uint64_t at; uint32_t size; };

struct Heard { // of a packet that has arrived
  uint64_t at, received;
  uint32_t size, readings;
  uint16_t way;
  bool marked;
  Time sent;
};

struct Flow {
  ts_packet_flow of;
  uint64_t sent = 0, received = 0, looked = 0; // looked: received at the last look
  Time propagation, next, end; // of its path; when it may send again
  double rate, target, alpha = 1; // bytes/s
  Time cut, stepped;              // when the rate was last cut, and last taken a step up
  Time report_after;              // when the receiver may report again
  int stage = 0;                  // steps since the cut
  uint32_t epoch = 0; // times that it went back
  bool going_back = false;
  uint32_t way = 0;             // of the next packet
  std::vector<bool> open;       // ways that it may take
  std::vector<uint32_t> nics;   // that it may send from
  std::vector<Piece> again;     // lost, of several ways
  uint32_t call = 0;
  // Of controls that hear of each packet: what was acknowledged, and up to where the round of today
  // goes; windows, bytes; the time of a round trip without queues, and the last one, s.
  uint64_t acknowledged = 0, updated = 0;
  double window = 0, round_trip = 0, trip = 0;
  uint32_t grown = 0; // steps upwards one after the other
  double reference = 0, use = 1; // of HPCC: U of the paper
  std::vector<Readings> last; // of HPCC, by way
  double trend = 0; // of TIMELY, s
  uint64_t heard = 0, marks = 0; // of DCTCP: bytes of a round, those of them that were marked
  bool was_cut = false; // in this round
};

struct Nic { // flows that begin on one link
  uint32_t link;
  std::vector<uint32_t> flows;
  size_t turn = 0;
  Time free;
  EventId next;
};

struct Progress { Time at; uint64_t bytes; }; // that all flows of a part had through

struct Part { // flows in step
  std::vector<uint32_t> flows;
  uint64_t behind = 0;        // bytes that all have through
  uint64_t looked = 0;        // the same at the last look
  uint32_t open = 0;          // flows that have not ended
  std::vector<Progress> seen; // since the flows were the ones of today
  uint64_t era = 0;           // of what was seen
};

class Simulation;

// What waits for a link. Its device takes from it by itself; while it is paused, there is nothing
// to take.
class Waiting : public Queue<Packet> {
 public:
  bool Enqueue(Ptr<Packet> packet) override;
  Ptr<Packet> Dequeue() override;
  Ptr<Packet> Remove() override { return DoRemove(GetContainer().begin()); }
  Ptr<const Packet> Peek() const override { return DoPeek(GetContainer().begin()); }
  Ptr<Packet> TakeFirst() { return DoDequeue(GetContainer().begin()); }

  Simulation *simulation = nullptr;
  ts_packet_use use = {};
  Time changed, paused_from;
  bool paused = false, at_front = false;
  bool idle = true; // the device got nothing when it asked last

 private:
  void Count();
};

struct Port { // a directed link
  Simulation *simulation = nullptr;
  Ptr<PointToPointNetDevice> sender;
  Ptr<Waiting> queue;
  uint32_t limit = 0; // bytes; UINT32_MAX: nothing is lost
  double mark_from = 0, mark_to = 0; // bytes
  uint64_t held = 0; // bytes that came over it and wait in the switch at its end
  bool asked = false; // that switch has asked for a pause
  ts_packet_use skipped = {}; // what it had to do then
  bool Arrived(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address &);
};

// A Time is a number of steps, of a picosecond each: ts_packet_ns3_play. (Its conversions from
// units go by a variable that each library has for itself.)
Time Picoseconds(uint64_t ps) { return Time(static_cast<int64_t>(ps)); }
Time Rounded(double ps) { return Time(static_cast<int64_t>(ps + 0.5)); }

class Simulation {
 public:
  explicit Simulation(const ts_packet_job *job)
      : job_(*job), with_(*job->with), nodes_(job->node_count), ports_(2 * size_t{job->link_count}),
        nic_of_(2 * size_t{job->link_count})
  {
    Add(job->flows, job->flow_count, 0);
  }

  ~Simulation() { // a device and its channel hold each other
    for (Port &port : ports_)
      if (port.sender)
        port.sender->Dispose();
  }
  Simulation(const Simulation &) = delete;
  Simulation &operator=(const Simulation &) = delete;

  // Flows of one call, none of which begins before now. Their parts are their own.
  void Add(const ts_packet_flow *flows, uint32_t count, uint32_t call) {
    uint32_t first_part = static_cast<uint32_t>(parts_.size());
    Anew();
    ts_packet_job job = job_;
    job.flows = flows;
    job.flow_count = count;
    expected_ += ts_packet_count(&job);
    parts_.resize(first_part + count);
    if (open_.size() <= call)
      open_.resize(call + 1);
    for (uint32_t f = 0; f < count; f++)
      AddFlow(flows[f], first_part, call);
  }

  Time Now() const { return Simulator::Now() + skipped_; }

  ts_packet_status Play(uint64_t *end) {
    most_ = with_.limit;
    Simulator::Stop(Picoseconds(UINT64_C(1) << 61));
    if (unfinished_)
      Simulator::Run();
    for (uint32_t f = 0; f < flows_.size(); f++)
      end[f] = static_cast<uint64_t>(flows_[f].end.GetTimeStep());
    return unfinished_ ? Why() : TS_PACKET_DONE;
  }

  // Plays until the last flow of some call has ended, or up to `until`.
  ts_packet_status PlayUntil(Time until) {
    stopped_ = ended_.size();
    if (!stopped_ && unfinished_) {
      until_ = until;
      SetStop();
      Simulator::Run();
      stop_.Cancel();
      until_ = Time::Max();
    }
    return stopped_ || !unfinished_ ? TS_PACKET_DONE : Why();
  }

  bool Ended(uint32_t *call) {
    if (ended_.empty())
      return false;
    *call = ended_.front();
    ended_.pop_front();
    return true;
  }

  void Uses(ts_packet_use *use) const {
    for (size_t p = 0; p < ports_.size(); p++)
      use[p] = ports_[p].queue ? Sum(ports_[p].queue->use, ports_[p].skipped) : ts_packet_use{};
  }

  static ts_packet_use Sum(ts_packet_use played, const ts_packet_use &skipped) {
    played.packets += skipped.packets;
    played.bytes += skipped.bytes;
    played.skipped += skipped.packets;
    played.marked += skipped.marked;
    played.lost += skipped.lost;
    played.waiting += skipped.waiting;
    played.paused += skipped.paused;
    return played;
  }

  uint32_t Header() const { return with_.header; }

  void Arrived(const Packet &packet, Label label) {
    if (!(++arrivals_ % 65536) &&
        !ts_tick(job_.progress, "packets",
                 std::min(1., static_cast<double>(arrivals_) / expected_)))
      return End(TS_PACKET_STOPPED);
    if (static_cast<double>(arrivals_) > kGiveUp * (expected_ + 1000))
      return End(TS_PACKET_LOST);
    if (arrivals_ - skips_ > most_)
      return End(TS_PACKET_MANY);
    if (GetsLost(Link(flows_[label.flow].of, label.way, label.hop)))
      return Lose(flows_[label.flow], label);
    if (++label.hop == flows_[label.flow].of.hops)
      Deliver(label);
    else
      Forward(packet, label);
  }

 private:
  void AddLink(uint32_t l) { // when somebody uses it first
    const ts_packet_link &link = job_.links[l];
    if (ports_[2 * size_t{l}].sender)
      return;
    for (uint32_t node : {link.from, link.to})
      if (!nodes_[node])
        nodes_[node] = CreateObject<Node>();
    Ptr<PointToPointChannel> channel = CreateObject<PointToPointChannel>();
    channel->SetAttribute("Delay", TimeValue(Picoseconds(link.latency)));
    if (link.down && Picoseconds(link.down) > Now()) {
      downs_.push_back({Picoseconds(link.down), l});
      SetDown();
    }
    for (uint32_t d = 0; d < 2; d++) {
      Port &port = ports_[2 * l + d], &back = ports_[2 * l + 1 - d];
      port.simulation = this;
      port.sender = CreateObject<PointToPointNetDevice>();
      port.queue = CreateObject<Waiting>();
      port.queue->simulation = this;
      port.queue->SetMaxSize(
        QueueSize(QueueSizeUnit::BYTES, UINT32_MAX)); // what is full is for us to say
      port.limit = link.queue < UINT32_MAX ? static_cast<uint32_t>(link.queue) : UINT32_MAX;
      port.mark_from = with_.mark_from * 1e-12 * link.rate;
      port.mark_to = with_.mark_to * 1e-12 * link.rate;
      port.sender->SetNode(nodes_[d ? link.to : link.from]);
      port.sender->SetDataRate(DataRate(static_cast<uint64_t>(std::llround(8 * link.rate))));
      port.sender->SetQueue(port.queue);
      port.sender->Attach(channel);
      port.sender->SetReceiveCallback(MakeCallback(&Port::Arrived, &back));
    }
  }

  static uint32_t Ways(const ts_packet_flow &of) { return std::max(of.ways, 1u); }
  static uint32_t All(const ts_packet_flow &of) { return Ways(of) + of.spares; }
  static uint32_t Link(const ts_packet_flow &of, uint32_t way, uint32_t hop) {
    return of.path[size_t{way} * of.hops + hop];
  }

  void AddFlow(const ts_packet_flow &of, uint32_t first_part, uint32_t call) {
    uint32_t f = static_cast<uint32_t>(flows_.size());
    Flow flow;
    flow.of = of;
    flow.of.part += first_part;
    flow.call = call;
    flow.rate = flow.target = of.line;
    flow.next = flow.cut = flow.stepped = std::max(Picoseconds(of.start), Now()) - skipped_;
    for (uint32_t h = 0; h < of.hops * All(of); h++)
      AddLink(of.path[h] / 2);
    for (uint32_t h = 0; h < of.hops; h++) {
      const ts_packet_link &link = job_.links[of.path[h] / 2];
      flow.propagation += Picoseconds(link.latency);
      flow.round_trip += (with_.mtu + with_.header) / link.rate;
    }
    flow.round_trip += 2e-12 * static_cast<double>(flow.propagation.GetTimeStep());
    flow.window = flow.reference = of.line * flow.round_trip;
    flow.trip = flow.round_trip;
    if (Hpcc())
      flow.last.resize(All(of));
    flow.open.assign(All(of), false);
    flows_.push_back(flow);
    for (uint32_t w = 0; w < Ways(of); w++)
      OpenWay(f, w);
    KeepGoing(f);
    Part &part = parts_[flows_[f].of.part];
    part.flows.push_back(f);
    if (!part.open++)
      going_.push_back(flows_[f].of.part);
    open_[call]++;
    unfinished_++;
  }

  // ---- Ways ----

  void OpenWay(uint32_t f, uint32_t way) {
    Flow &flow = flows_[f];
    for (uint32_t h = 0; h < flow.of.hops; h++)
      if (IsDown(Link(flow.of, way, h)))
        return;
    flow.open[way] = true;
    uint32_t nic = NicOf(Link(flow.of, way, 0));
    if (std::find(flow.nics.begin(), flow.nics.end(), nic) != flow.nics.end())
      return;
    flow.nics.push_back(nic);
    nics_[nic].flows.push_back(f);
  }

  // A flow without a way takes a spare one.
  void KeepGoing(uint32_t f) {
    Flow &flow = flows_[f];
    for (uint32_t w = Ways(flow.of); w < All(flow.of) && flow.nics.empty(); w++)
      OpenWay(f, w);
    if (flow.nics.empty())
      End(TS_PACKET_DOWN);
  }

  static void Leave(Nic &nic, uint32_t f) {
    size_t place = static_cast<size_t>(
      std::find(nic.flows.begin(), nic.flows.end(), f) - nic.flows.begin());
    nic.flows.erase(nic.flows.begin() + static_cast<std::ptrdiff_t>(place));
    nic.turn = nic.flows.empty() ? 0 : (nic.turn - (place < nic.turn)) % nic.flows.size();
  }

  void TakeDown(uint32_t link) {
    Anew();
    for (uint32_t f = 0; f < flows_.size(); f++) {
      Flow &flow = flows_[f];
      bool any = false;
      for (uint32_t w = 0; w < All(flow.of); w++)
        for (uint32_t h = 0; h < flow.of.hops && flow.open[w]; h++)
          if (Link(flow.of, w, h) / 2 == link) {
            flow.open[w] = false;
            any = true;
          }
      if (!any || flow.received == flow.of.bytes)
        continue;
      for (uint32_t n : flow.nics)
        Leave(nics_[n], f);
      flow.nics.clear();
      for (uint32_t w = 0; w < Ways(flow.of); w++)
        if (flow.open[w])
          OpenWay(f, w);
      KeepGoing(f);
      Wake(flow);
    }
  }

  uint32_t NicOf(uint32_t link) {
    uint32_t &nic = nic_of_[link];
    if (!nic) {
      nics_.push_back({link, {}, 0, Time(), EventId()});
      nic = static_cast<uint32_t>(nics_.size());
    }
    Nic &n = nics_[nic - 1];
    Time now = Simulator::Now();
    // It may wait for somebody who sends later.
    if (now >= n.free && (!n.next.IsRunning() || Simulator::GetDelayLeft(n.next) > Time())) {
      n.next.Cancel();
      n.next = Simulator::ScheduleNow(&Simulation::Serve, this, nic - 1);
    }
    return nic - 1;
  }

  bool Hpcc() const { return with_.control == TS_IR_CONTROL_HPCC; }
  bool Swift() const { return with_.control == TS_IR_CONTROL_SWIFT; }
  bool Dctcp() const { return with_.control == TS_IR_CONTROL_DCTCP; }
  bool Marking() const { return with_.control == TS_IR_CONTROL_DCQCN || Dctcp(); }
  bool Windows() const { return Hpcc() || Swift() || Dctcp(); }

  // No event is left, or we have seen enough.
  ts_packet_status Why() const {
    for (const Port &port : ports_)
      if (status_ == TS_PACKET_LOST && port.queue && port.queue->paused)
        return TS_PACKET_HELD;
    return status_;
  }

  void Pause() {
    stopped_ = true;
    Simulator::Stop();
  }

  void End(ts_packet_status status) {
    status_ = status;
    Simulator::Stop();
  }

  // ---- Senders ----

  uint64_t Behind(uint32_t part) const { // bytes that all flows of a part have through
    uint64_t least = UINT64_MAX;
    for (uint32_t f : parts_[part].flows)
      least =
        std::min(least, flows_[f].received < flows_[f].of.bytes ? flows_[f].received : UINT64_MAX);
    return least;
  }

  bool MaySend(const Flow &flow, uint64_t behind) const
  {
    if (!flow.again.empty())
      return true;
    return !flow.going_back && flow.sent < flow.of.bytes &&
           flow.sent - std::min(flow.sent, behind) < with_.buffer &&
           (!Windows() || static_cast<double>(flow.sent - std::min(flow.sent, flow.acknowledged)) <
                         std::max(flow.window, 1.));
  }

  // One packet of the next flow whose turn it is; or nothing until one may send.
  void Serve(uint32_t n) {
    Nic &nic = nics_[n];
    Time now = Simulator::Now(), wait = Time::Max();
    if (ports_[nic.link].queue->paused)
      return; // looks again when that ends
    for (size_t i = 0; i < nic.flows.size(); i++) {
      size_t place = (nic.turn + i) % nic.flows.size();
      Flow &flow = flows_[nic.flows[place]];
      if (!MaySend(flow, parts_[flow.of.part].behind))
        continue;
      if (flow.next <= now) {
        nic.turn = (place + 1) % nic.flows.size();
        nic.free = now + Send(nic.flows[place], n);
        nic.next = Simulator::Schedule(nic.free - now, &Simulation::Serve, this, n);
        return;
      }
      wait = std::min(wait, flow.next);
    }
    if (wait < Time::Max())
      nic.next = Simulator::Schedule(wait - now, &Simulation::Serve, this, n);
  }

  void WakeNic(uint32_t n) {
    if (Simulator::Now() < nics_[n].free)
      return; // it looks for the next one by itself
    nics_[n].next.Cancel();
    nics_[n].next = Simulator::ScheduleNow(&Simulation::Serve, this, n);
  }

  void Wake(const Flow &flow) {
    for (uint32_t n : flow.nics)
      WakeNic(n);
  }

  // What it sends next: what was lost, or what comes next.
  Piece Next(Flow &flow) {
    if (!flow.again.empty()) {
      Piece piece = flow.again.back();
      flow.again.pop_back();
      return piece;
    }
    Piece piece = {flow.sent, static_cast<uint32_t>(
                                std::min<uint64_t>(with_.mtu, flow.of.bytes - flow.sent))};
    flow.sent += piece.size;
    return piece;
  }

  // How long the packet is on its first link.
  Time Send(uint32_t f, uint32_t nic) {
    Flow &flow = flows_[f];
    Label label;
    while (!flow.open[flow.way] || Link(flow.of, flow.way, 0) != nics_[nic].link)
      flow.way = (flow.way + 1) % All(flow.of);
    Piece piece = Next(flow);
    Port &port = ports_[Link(flow.of, flow.way, 0)];
    label.at = piece.at;
    label.flow = f;
    label.size = piece.size;
    label.epoch = flow.epoch;
    label.way = static_cast<uint16_t>(flow.way);
    label.sent = Simulator::Now().GetTimeStep();
    if (Hpcc())
      label.readings = TakeReadings();
    uint32_t size = label.size + with_.header;
    Ptr<Packet> packet = Create<Packet>(size - kInDevice);
    packet->AddPacketTag(label);
    flow.next = Simulator::Now() + Rounded(1e12 * size / Rate(flow));
    Put(port, packet);
    Time taken = Rounded(1e12 * size / job_.links[Link(flow.of, flow.way, 0) / 2].rate);
    flow.way = (flow.way + 1) % All(flow.of);
    return taken;
  }

  // Steps are taken when somebody asks for the rate.
  double Rate(Flow &flow) {
    const double line = flow.of.line;
    if (Hpcc())
      return std::min(line, flow.window / flow.round_trip);
    // what is heard of packets paces those that follow, but for less than one at a time
    if (Windows())
      return flow.window < static_cast<double>(with_.mtu) ? flow.window / flow.trip : line;
    if (with_.control == TS_IR_CONTROL_TIMELY)
      return flow.rate;
    Time now = Simulator::Now();
    for (; flow.rate < line && flow.stepped + timer_ <= now; flow.stepped += timer_) {
      if (++flow.stage > kFastSteps)
        flow.target = std::min(flow.target + with_.step * line, line);
      flow.rate = (flow.rate + flow.target) / 2;
      if (flow.rate > 0.9999 * line)
        flow.rate = flow.target = line;
    }
    return flow.rate;
  }

  void Reported(uint32_t f) {
    Flow &flow = flows_[f];
    Time now = Simulator::Now();
    double rate = Rate(flow),
           quiet = std::floor(static_cast<double>((now - flow.cut).GetTimeStep()) /
                              static_cast<double>(with_.timer));
    flow.alpha = std::pow(1 - with_.gain, quiet + 1) * flow.alpha + with_.gain;
    if (flow.stage)
      flow.target = rate;
    flow.rate = std::max(rate * (1 - flow.alpha / 2), flow.of.line / 1000);
    flow.cut = flow.stepped = now;
    flow.stage = 0;
  }

  void GoBack(uint32_t f) {
    Flow &flow = flows_[f];
    flow.epoch++;
    flow.going_back = false;
    flow.sent = flow.received;
    Wake(flow);
  }

  // ---- HPCC ----

  uint32_t TakeReadings() {
    if (free_readings_.empty()) {
      readings_.emplace_back();
      return static_cast<uint32_t>(readings_.size());
    }
    uint32_t place = free_readings_.back();
    free_readings_.pop_back();
    readings_[place - 1].clear();
    return place;
  }

  // The use of the busiest link since the last packet of this way, and over which time.
  double Busiest(const Flow &flow, uint32_t way, const Readings &now, double *over) const {
    const Readings &last = flow.last[way];
    double most = 0;
    for (size_t h = 0; h < now.size(); h++) {
      double rate = job_.links[Link(flow.of, way, static_cast<uint32_t>(h) + 1) / 2].rate,
             time = 1e-12 * static_cast<double>((now[h].at - last[h].at).GetTimeStep());
      if (time <= 0)
        continue;
      double use = std::min(now[h].waiting, last[h].waiting) / (rate * flow.round_trip) +
                   static_cast<double>(now[h].sent - last[h].sent) / (time * rate);
      if (use > most) {
        most = use;
        *over = time;
      }
    }
    return most;
  }

  void Follow(Flow &flow, bool update) {
    const double line = flow.of.line * flow.round_trip;
    bool multiply = flow.use >= with_.eta || flow.grown >= with_.stages;
    flow.window = (multiply ? flow.reference / (flow.use / with_.eta) : flow.reference) +
                  static_cast<double>(with_.additive);
    flow.window = std::min(std::max(flow.window, line / 1000), line);
    if (!update)
      return;
    flow.grown = multiply ? 0 : flow.grown + 1;
    flow.reference = flow.window;
  }

  void FollowReadings(Flow &flow, const Heard &of) {
    Readings &now = readings_[of.readings - 1];
    if (!now.empty() && flow.last[of.way].size() == now.size()) {
      double over = 0, use = Busiest(flow, of.way, now, &over);
      over = std::min(over, flow.round_trip) / flow.round_trip;
      flow.use = (1 - over) * flow.use + over * use;
      bool update = of.at >= flow.updated;
      Follow(flow, update);
      if (update)
        flow.updated = flow.sent;
    }
    flow.last[of.way] = now;
    free_readings_.push_back(of.readings);
  }

  // ---- Controls by delays and by the share of marks ----

  void Acknowledged(uint32_t f, Heard of) {
    Flow &flow = flows_[f];
    double trip = 1e-12 * static_cast<double>((Simulator::Now() - of.sent).GetTimeStep());
    if (Hpcc())
      FollowReadings(flow, of);
    else if (Swift())
      FollowTarget(flow, of, trip);
    else if (Dctcp())
      FollowMarks(flow, of);
    else if (of.at >= flow.updated) // TIMELY: once a round
      FollowTrend(flow, trip);
    flow.trip = trip;
    flow.acknowledged = std::max(flow.acknowledged, of.received);
    Wake(flow);
  }

  // A window that something else holds back does not grow.
  bool Filled(const Flow &flow) const {
    uint64_t under_way = flow.sent - std::min(flow.sent, flow.acknowledged);
    return static_cast<double>(under_way + 2 * with_.mtu) >= flow.window;
  }

  // TIMELY, algorithm 1.
  void FollowTrend(Flow &flow, double trip) {
    const double low = 1e-12 * static_cast<double>(with_.low);
    const double high = 1e-12 * static_cast<double>(with_.high);
    if (flow.updated)
      flow.trend = (1 - with_.gain) * flow.trend + with_.gain * (trip - flow.reference);
    flow.reference = trip;
    flow.updated = flow.sent;
    double slope = flow.trend / flow.round_trip;
    if (trip < low || (trip <= high && slope <= 0)) {
      flow.grown++;
      int steps = trip >= low && flow.grown >= kFastSteps ? kFastSteps : 1;
      flow.rate += steps * with_.step * flow.of.line;
    } else {
      flow.grown = 0;
      flow.rate *= 1 - with_.cut * (trip > high ? 1 - high / trip : std::min(slope, 1.));
    }
    flow.rate = std::min(std::max(flow.rate, flow.of.line / 1000), flow.of.line);
  }

  // Swift, algorithm 1 and equation 4; windows of 0.1 to 100 packets have a part of `scaling`.
  double Target(const Flow &flow) const {
    static const double least = std::sqrt(10), most = 0.1; // 1 / sqrt of the packets
    double root = std::sqrt(static_cast<double>(with_.mtu) / flow.window);
    double by_window = (root - most) / (least - most);
    return 1e-12 * (static_cast<double>(with_.target) +
                    flow.of.hops * static_cast<double>(with_.per_hop) +
                    std::min(std::max(by_window, 0.), 1.) * static_cast<double>(with_.scaling));
  }

  void FollowTarget(Flow &flow, const Heard &of, double trip) {
    double target = Target(flow), packet = static_cast<double>(with_.mtu);
    if (trip < target && Filled(flow)) {
      flow.window += static_cast<double>(with_.additive) * of.size / std::max(flow.window, packet);
    } else if (trip >= target && Simulator::Now() >= flow.cut) {
      flow.window *= std::max(1 - with_.cut * (trip - target) / trip, 1 - with_.most_cut);
      flow.cut = Simulator::Now() + Rounded(1e12 * trip);
    }
    flow.window = std::min(std::max(flow.window, packet / 1000), flow.of.line * target);
  }

  // DCTCP, equations 1 and 2: once a round for the share of marks, and one cut in it.
  void FollowMarks(Flow &flow, const Heard &of) {
    flow.heard += of.size;
    flow.marks += of.marked ? of.size : 0;
    if (of.marked && !flow.was_cut) {
      flow.window *= 1 - flow.alpha / 2;
      flow.was_cut = true;
    }
    if (!flow.was_cut && Filled(flow))
      flow.window += static_cast<double>(with_.additive) * of.size / flow.window;
    flow.window = std::min(std::max(flow.window, static_cast<double>(with_.mtu)),
                           static_cast<double>(with_.buffer)); // more is never under way
    if (of.at < flow.updated)
      return;
    double share = static_cast<double>(flow.marks) / static_cast<double>(flow.heard);
    flow.alpha += with_.gain * (share - flow.alpha);
    flow.heard = flow.marks = 0;
    flow.was_cut = false;
    flow.updated = flow.sent;
  }

  // ---- Switches ----

 public:
  // A packet leaves over its link.
  void Leaves(Waiting &queue, const Packet &packet) {
    queue.use.packets++;
    queue.use.bytes += packet.GetSize();
    if (!Hpcc() && !with_.pause)
      return;
    Label label;
    packet.PeekPacketTag(label);
    if (label.hop && with_.pause)
      Release(ports_[Link(flows_[label.flow].of, label.way, label.hop - 1u)], label.flow,
              label.way, label.hop - 1u, packet.GetSize());
    if (label.hop && label.readings)
      readings_[label.readings - 1].push_back(
        {Simulator::Now(), queue.use.bytes, queue.GetNBytes()});
  }

 private:
  void Put(Port &port, Ptr<Packet> packet) {
    if (port.queue->paused && port.queue->idle) { // its device would want to send it
      PppHeader header;
      header.SetProtocol(kPpp);
      packet->AddHeader(header);
      port.queue->Enqueue(packet);
      return;
    }
    port.sender->Send(packet, any_, kProtocol);
  }

  void Hold(uint32_t link, uint32_t size) {
    Port &in = ports_[link];
    in.held += size;
    if (in.limit == UINT32_MAX || in.asked || in.held <= with_.pause)
      return;
    in.asked = true;
    Simulator::Schedule(Picoseconds(job_.links[link / 2].latency), &Simulation::SetPaused, this,
                        link, true);
  }

  void Release(Port &in, uint32_t f, uint32_t way, uint32_t hop, uint32_t size) {
    uint64_t gap = 2 * (with_.mtu + with_.header);
    in.held -= size;
    if (!in.asked || in.held > with_.pause - std::min(with_.pause, gap))
      return;
    uint32_t link = Link(flows_[f].of, way, hop);
    in.asked = false;
    Simulator::Schedule(Picoseconds(job_.links[link / 2].latency), &Simulation::SetPaused, this,
                        link, false);
  }

  void SetPaused(uint32_t link, bool paused) {
    Port &port = ports_[link];
    Waiting &queue = *port.queue;
    queue.paused = paused;
    if (paused) {
      queue.paused_from = Simulator::Now();
      return;
    }
    queue.use.paused += static_cast<uint64_t>((Simulator::Now() - queue.paused_from).GetTimeStep());
    if (queue.idle && !queue.IsEmpty()) { // its device waits to be given something
      Ptr<Packet> first = queue.TakeFirst();
      PppHeader header;
      first->RemoveHeader(header);
      queue.at_front = true;
      port.sender->Send(first, any_, kProtocol);
      queue.at_front = false;
    }
    if (nic_of_[link])
      WakeNic(nic_of_[link] - 1);
  }

  bool Chance(double share) { return static_cast<double>(random_() >> 11) * 0x1p-53 < share; }

  bool IsDown(uint32_t link) const {
    uint64_t down = job_.links[link / 2].down;
    return down && Now() >= Picoseconds(down);
  }

  bool GetsLost(uint32_t link) {
    double loss = job_.links[link / 2].loss;
    if (!IsDown(link) && !(loss > 0 && Chance(loss)))
      return false;
    ports_[link].queue->use.lost++;
    return true;
  }

  bool Marks(const Port &port, uint32_t waiting) {
    if (waiting <= port.mark_from)
      return false;
    if (waiting > port.mark_to)
      return true;
    double share = with_.mark_share * (waiting - port.mark_from) / (port.mark_to - port.mark_from);
    return Chance(share);
  }

  void Forward(const Packet &arrived, Label &label) {
    Flow &flow = flows_[label.flow];
    Port &port = ports_[Link(flow.of, label.way, label.hop)];
    uint32_t waiting = port.queue->GetNBytes();
    if (port.limit != UINT32_MAX &&
        static_cast<uint64_t>(waiting) + arrived.GetSize() > port.limit) {
      port.queue->use.lost++;
      Lose(flow, label);
      return;
    }
    if (Marking() && Marks(port, waiting)) {
      label.marked = 1;
      port.queue->use.marked++;
    }
    if (with_.pause)
      Hold(Link(flow.of, label.way, label.hop - 1u), arrived.GetSize() + kInDevice);
    Ptr<Packet> packet = arrived.Copy();
    packet->ReplacePacketTag(label);
    Put(port, packet);
  }

  void Lose(Flow &flow, const Label &label) {
    Time round = flow.propagation + flow.propagation;
    if (label.readings)
      free_readings_.push_back(label.readings);
    if (Ways(flow.of) > 1) {
      Simulator::Schedule(round, &Simulation::SendAgain, this, label.flow, label.at, label.size);
    } else if (label.epoch == flow.epoch && !flow.going_back) {
      flow.going_back = true;
      Simulator::Schedule(round, &Simulation::GoBack, this, label.flow);
    }
  }

  void SendAgain(uint32_t f, uint64_t at, uint32_t size) {
    flows_[f].again.push_back({at, size});
    Wake(flows_[f]);
  }

  // ---- Receivers ----

  void Deliver(const Label &label) {
    Flow &flow = flows_[label.flow];
    Time now = Simulator::Now();
    if (with_.control == TS_IR_CONTROL_DCQCN && label.marked && now >= flow.report_after) {
      flow.report_after = now + Picoseconds(with_.report);
      Simulator::Schedule(flow.propagation, &Simulation::Reported, this, label.flow);
    }
    bool taken = Ways(flow.of) > 1 || label.at == flow.received; // else one before it was lost
    if (taken)
      flow.received += label.size;
    if (with_.control != TS_IR_CONTROL_DCQCN)
      Simulator::Schedule(flow.propagation, &Simulation::Acknowledged, this, label.flow,
                          Heard{label.at, flow.received, label.size, label.readings, label.way,
                                label.marked != 0, Time(label.sent)});
    if (!taken)
      return;
    if (flow.received == flow.of.bytes)
      Finish(label.flow);
    Advance(flow, label.size);
  }

  void Finish(uint32_t f) {
    Flow &flow = flows_[f];
    flow.end = Now();
    Anew();
    if (!--parts_[flow.of.part].open)
      going_.erase(std::find(going_.begin(), going_.end(), flow.of.part));
    for (uint32_t n : flow.nics)
      Leave(nics_[n], f);
    unfinished_--;
    if (!--open_[flow.call]) {
      ended_.push_back(flow.call);
      stopped_ = true;
      Simulator::Stop();
    }
  }

  // Credits are given an eighth of the buffer at a time, as NCCL's buffers have eight slots.
  void Advance(const Flow &flow, uint32_t size) {
    Part &part = parts_[flow.of.part];
    if (flow.received / slot_ == (flow.received - size) / slot_ && flow.received < flow.of.bytes)
      return;
    uint64_t behind = Behind(flow.of.part);
    if (behind == part.behind)
      return;
    part.behind = behind;
    for (uint32_t f : part.flows)
      Wake(flows_[f]);
    if (with_.steady > 0 && part.open)
      See(part);
  }

  // ---- Steady rates ----
  //
  // Once the rates of all parts have kept within `steady` over a window, all go on like that up to
  // where the first of them ends, or somebody comes: the bytes of that time are taken off the
  // flows, and the time is added to the clock. What is under way and what waits stays as it is.

  void Anew() { // other flows than so far: other rates
    era_++;
    look_ = kFirstLook;
    looked_ = Simulator::Now();
    before_.clear();
  }

  void See(Part &part) {
    if (part.era != era_) {
      part.era = era_;
      part.seen.clear();
    }
    if (!part.seen.empty() && part.seen.back().bytes / slot_ == part.behind / slot_)
      return; // another flow has got as far as the last one has yet to
    part.seen.push_back({Simulator::Now(), part.behind});
    if (part.seen.size() >= look_ && AllSeen())
      Look();
  }

  void Look() {
    double allowed = Allowed();
    bool settled = std::fabs(allowed - allowed_) <= kSettled * with_.steady * allowed;
    Time ahead = before_.empty() || !settled ? Time() : SteadyFor();
    allowed_ = allowed;
    if (ahead > Simulator::Now() - looked_)
      return Skip(ahead);
    look_ *= 2;
    looked_ = Simulator::Now();
    before_.resize(ports_.size());
    for (uint32_t p : going_) {
      parts_[p].looked = parts_[p].behind;
      for (uint32_t f : parts_[p].flows)
        flows_[f].looked = flows_[f].received;
    }
    for (size_t p = 0; p < ports_.size(); p++)
      before_[p] = ports_[p].queue ? ports_[p].queue->use : ts_packet_use{};
  }

  // What the controls let all flows send: it may change before rates do.
  double Allowed() {
    double sum = 0;
    for (uint32_t p : going_)
      for (uint32_t f : parts_[p].flows)
        sum += Windows() ? flows_[f].window : Rate(flows_[f]);
    return sum;
  }

  bool AllSeen() const {
    for (uint32_t p : going_)
      if (parts_[p].era != era_ || parts_[p].seen.size() < look_)
        return false;
    return true;
  }

  // What a part had through, and in how many picoseconds, between these shares of what was seen.
  static Progress Over(const std::vector<Progress> &seen, double from, double to) {
    double last = static_cast<double>(seen.size() - 1);
    const Progress &a = seen[static_cast<size_t>(last * from)];
    const Progress &b = seen[static_cast<size_t>(last * to)];
    return {b.at - a.at, b.bytes - a.bytes};
  }

  // Bytes a picosecond.
  static double Pace(const std::vector<Progress> &seen, double from, double to) {
    Progress over = Over(seen, from, to);
    return static_cast<double>(over.bytes) / static_cast<double>(over.at.GetTimeStep());
  }

  // Whether a flow still gets further ahead of the last one of its part, by more than rates may
  // change and less than it may be ahead: then the last one goes on slower than it will.
  bool IsParting(const Part &part) const {
    double behind = static_cast<double>(part.behind - part.looked);
    for (uint32_t f : part.flows) {
      const Flow &flow = flows_[f];
      double gained = static_cast<double>(flow.received - flow.looked);
      if (flow.received < flow.of.bytes && flow.sent + slot_ < part.behind + with_.buffer &&
          gained > (1 + with_.steady) * behind + 2. * with_.mtu)
        return true;
    }
    return false;
  }

  // How long the rates of today may go on; 0: they are not steady.
  Time SteadyFor() const {
    double least = static_cast<double>((std::min(until_, NextDown()) - Now()).GetTimeStep());
    for (uint32_t p : going_) {
      const Part &part = parts_[p];
      double first = Pace(part.seen, 0.25, 0.5), then = Pace(part.seen, 0.5, 0.75);
      double now = Pace(part.seen, 0.75, 1);
      if (std::fabs(then - now) > with_.steady * now || IsParting(part))
        return Time();
      // a trend, not noise: as far as it changes the rate by no more
      double span = static_cast<double>(Over(part.seen, 0.75, 1).at.GetTimeStep());
      if ((now - then) * (then - first) > 0)
        least = std::min(least, with_.steady * now / std::fabs(now - then) * span);
      for (uint32_t f : part.flows)
        if (Picoseconds(flows_[f].of.start) > Now())
          return Time();
      least = std::min(least, static_cast<double>(Left(part)) / Pace(part.seen, 0.5, 1));
    }
    return Time(static_cast<int64_t>(least));
  }

  // Bytes of a part that may be skipped: in the end its flows stop one after the other.
  uint64_t Left(const Part &part) const {
    uint64_t least = UINT64_MAX, end = part.behind + with_.buffer + 2 * slot_;
    for (uint32_t f : part.flows)
      least = std::min(least, flows_[f].of.bytes - std::min(flows_[f].of.bytes, end));
    return least;
  }

  void Skip(Time ahead) {
    for (uint32_t p : going_) {
      Part &part = parts_[p];
      double bytes = Pace(part.seen, 0.5, 1) * static_cast<double>(ahead.GetTimeStep());
      uint64_t packets = static_cast<uint64_t>(bytes / static_cast<double>(with_.mtu));
      for (uint32_t f : part.flows)
        TakeOff(flows_[f], packets);
    }
    double times = static_cast<double>(ahead.GetTimeStep()) /
                   static_cast<double>((Simulator::Now() - looked_).GetTimeStep());
    for (size_t p = 0; p < ports_.size(); p++)
      if (ports_[p].queue)
        GoOn(ports_[p].skipped, ports_[p].queue->use, before_[p], times);
    skipped_ += ahead;
    Anew();
    SetStop();
    SetDown();
  }

  void TakeOff(Flow &flow, uint64_t packets) {
    flow.of.bytes -= packets * with_.mtu;
    skips_ += packets * flow.of.hops;
    arrivals_ += packets * flow.of.hops;
    uint64_t ways = static_cast<uint64_t>(std::count(flow.open.begin(), flow.open.end(), true));
    uint64_t rest = packets;
    for (uint32_t w = 0; w < All(flow.of); w++) {
      uint64_t each = flow.open[w] ? (rest + ways - 1) / ways : 0;
      rest -= each;
      ways -= flow.open[w];
      for (uint32_t h = 0; h < flow.of.hops; h++) {
        ts_packet_use &use = ports_[Link(flow.of, w, h)].skipped;
        use.packets += each;
        use.bytes += each * (with_.mtu + with_.header);
      }
    }
  }

  // What flows do not say of a link, as since the last look.
  static void GoOn(ts_packet_use &use, const ts_packet_use &now, const ts_packet_use &before,
                   double times) {
    auto more = [times](uint64_t last, uint64_t first) {
      return static_cast<uint64_t>(times * static_cast<double>(last - first));
    };
    use.marked += more(now.marked, before.marked);
    use.lost += more(now.lost, before.lost);
    use.paused += more(now.paused, before.paused);
    use.waiting += times * (now.waiting - before.waiting);
  }

  Time NextDown() const {
    Time next = Time::Max();
    for (const Down &d : downs_)
      next = std::min(next, d.at);
    return next;
  }

  // The event at which the next link goes down, by the clock of ns-3.
  void SetDown() {
    down_.Cancel();
    if (!downs_.empty())
      down_ = Simulator::Schedule(NextDown() - Now(), &Simulation::GoDown, this);
  }

  void GoDown() {
    for (size_t i = downs_.size(); i-- > 0;)
      if (downs_[i].at <= Now()) {
        uint32_t link = downs_[i].link;
        downs_.erase(downs_.begin() + static_cast<std::ptrdiff_t>(i));
        TakeDown(link);
      }
    SetDown();
  }

  void SetStop() {
    stop_.Cancel();
    if (until_ < Time::Max())
      stop_ = Simulator::Schedule(until_ - Now(), &Simulation::Pause, this);
  }

  const ts_packet_job job_;
  const ts_ir_net_packets with_;
  std::vector<Ptr<Node>> nodes_;
  std::vector<Port> ports_;
  std::vector<Flow> flows_;
  std::vector<Nic> nics_;
  std::vector<uint32_t> nic_of_; // by directed link: plus 1
  std::vector<Part> parts_;
  std::vector<uint32_t> going_; // parts with flows that have not ended
  const uint64_t slot_ = std::max<uint64_t>(with_.buffer / 8, 1);
  std::deque<Readings> readings_;
  std::vector<uint32_t> free_readings_;
  std::vector<uint32_t> open_; // flows of each call
  std::deque<uint32_t> ended_; // calls
  const Time timer_ = Picoseconds(with_.timer);
  std::mt19937_64 random_{1};
  const Address any_;
  double expected_ = 0; // arrivals, if nothing is lost
  uint64_t arrivals_ = 0, skips_ = 0, most_ = UINT64_MAX; // that may be played
  Time skipped_, looked_, until_ = Time::Max(); // looked_: at the rates, or since when they are new
  uint64_t era_ = 0;
  double allowed_ = 0; // at the last look
  size_t look_ = kFirstLook; // progress to be seen of each part before the next look
  std::vector<ts_packet_use> before_; // at the last look; empty: there was none
  EventId stop_, down_;
  struct Down { Time at; uint32_t link; };
  std::vector<Down> downs_; // links that go down later
  uint32_t unfinished_ = 0;
  bool stopped_ = false;
  ts_packet_status status_ = TS_PACKET_LOST;
};

bool Port::Arrived(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address &) {
  Label label;
  packet->PeekPacketTag(label);
  simulation->Arrived(*packet, label);
  return true;
}

// So much has waited since the last change.
void Waiting::Count() {
  Time now = Simulator::Now();
  double time = static_cast<double>((now - changed).GetTimeStep());
  use.waiting += static_cast<double>(GetNBytes()) * time;
  changed = now;
}

bool Waiting::Enqueue(Ptr<Packet> packet) {
  Count();
  bool taken = DoEnqueue(at_front ? GetContainer().begin() : GetContainer().end(), packet);
  if (!idle || paused) // else its device takes it at once
    use.most_waiting = std::max<uint64_t>(use.most_waiting, GetNBytes());
  return taken;
}

Ptr<Packet> Waiting::Dequeue() {
  Count();
  Ptr<Packet> packet = paused ? nullptr : DoDequeue(GetContainer().begin());
  idle = !packet;
  if (packet)
    simulation->Leaves(*this, *packet);
  return packet;
}

void CountPicoseconds() { // once in a process: a packet takes 9 ns on fast links
  static const bool counts = (Time::SetResolution(Time::PS), true);
  (void)counts;
}

} // namespace

ts_packet_status ts_packet_ns3_play(const ts_packet_job *job, uint64_t *end, ts_packet_use *use)
{
  CountPicoseconds();
  ts_packet_status status;
  {
    Simulation simulation(job);
    status = simulation.Play(end);
    if (use)
      simulation.Uses(use);
    Simulator::Destroy();
  }
  return status;
}

struct ts_packet_net {
  explicit ts_packet_net(const ts_packet_job *job) : simulation(job) {}
  Simulation simulation;
};

ts_packet_net *ts_packet_ns3_new(const ts_packet_job *job)
{
  ts_packet_job links = *job;
  links.flow_count = 0;
  CountPicoseconds();
  return new ts_packet_net(&links);
}

void ts_packet_ns3_free(ts_packet_net *net)
{
  delete net;
  Simulator::Destroy();
}

void ts_packet_ns3_start(ts_packet_net *net, const ts_packet_flow *flows, uint32_t count,
                         uint32_t call)
{
  net->simulation.Add(flows, count, call);
}

ts_packet_status ts_packet_ns3_play_on(ts_packet_net *net, uint64_t until)
{
  return net->simulation.PlayUntil(until >> 61 ? Time::Max() : Picoseconds(until));
}

uint64_t ts_packet_ns3_now(const ts_packet_net *net)
{
  return static_cast<uint64_t>(net->simulation.Now().GetTimeStep());
}

bool ts_packet_ns3_ended(ts_packet_net *net, uint32_t *call)
{
  return net->simulation.Ended(call);
}

void ts_packet_ns3_uses(const ts_packet_net *net, ts_packet_use *use)
{
  net->simulation.Uses(use);
}
